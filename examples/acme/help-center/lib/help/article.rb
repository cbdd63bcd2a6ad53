require "acme/markup"

module Help
  # An article as its author wrote it.
  class Article
    attr_reader :title, :text

    def initialize(title, text)
      @title = title
      @text = text
    end

    # The article as a page.
    def to_html
      "<h1>#{title}</h1>\n#{Acme::Markup.render(text)}"
    end
  end
end
