require "acme/markup"
require_relative "article"

module Help
  # A teaser is the first paragraph, in large letters.
  class TeaserRenderer < Acme::Markup::Renderer
    def paragraph(text)
      "<div class=\"teaser\">#{super}</div>"
    end
  end

  def self.teaser(article)
    TeaserRenderer.new.paragraph(article.text.split("\n\n").first)
  end

  def self.front_page(texts)
    texts.map { |title, text| teaser(Article.new(title, text)) }.join("\n")
  end
end
