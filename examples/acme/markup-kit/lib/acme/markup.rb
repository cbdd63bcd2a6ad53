# The few marks that our editors use, turned into HTML.

require "acme/markup/escaping"
require "acme/markup/renderer"

module Acme
  module Markup
    # HTML of a whole text; paragraphs are parted by an empty line.
    def self.render(text)
      renderer = Renderer.new
      text.split(/\n{2,}/).map { |paragraph| renderer.paragraph(paragraph) }.join("\n")
    end
  end
end
