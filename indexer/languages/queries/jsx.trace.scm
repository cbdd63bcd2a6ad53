; Elements: JavaScript has them, of the TypeScript grammars only TSX.
(jsx_opening_element name: (_) @element)
(jsx_self_closing_element name: (_) @element)
(jsx_expression [(identifier) (member_expression)] @value)
