; What JavaScript, TypeScript and TSX have in common.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(class_body (method_definition name: (_) @name) @definition.method)
(object (method_definition name: (_) @name) @definition.method @member)
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @definition.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @definition.class
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function body: (_) @body)
          (function_expression body: (_) @body)]) @definition.function @member
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)

(export_statement declaration: (_) @exported)
(export_statement declaration: (lexical_declaration (variable_declarator) @exported))
(export_statement declaration: (variable_declaration (variable_declarator) @exported))
(export_statement value: (identifier) @exported.name)
(export_specifier name: (identifier) @exported.name)
(assignment_expression left: (member_expression object: (identifier) @_root)
  (#eq? @_root "exports")) @exported
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_root))
  (#eq? @_root "module")) @exported
(method_definition name: (private_property_identifier)) @private
(decorator) @decorator
(comment) @comment
