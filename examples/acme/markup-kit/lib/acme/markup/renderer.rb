require "acme/markup/escaping"

module Acme
  module Markup
    # Knows *bold* and _italic_, and nothing that could break a page.
    class Renderer
      include Escaping

      def paragraph(text)
        "<p>#{inline(escape(text))}</p>"
      end

      def inline(text)
        text.gsub(/\*(\S.*?)\*/, '<b>\1</b>').gsub(/_(\S.*?)_/, '<i>\1</i>')
      end
    end
  end
end
