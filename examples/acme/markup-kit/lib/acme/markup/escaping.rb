module Acme
  module Markup
    # Makes text harmless inside HTML.
    module Escaping
      SPECIAL = { "&" => "&amp;", "<" => "&lt;", ">" => "&gt;" }.freeze

      def escape(text)
        text.gsub(/[&<>]/, SPECIAL)
      end
    end
  end
end
