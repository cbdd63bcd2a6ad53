(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(assignment left: (identifier) @name right: (lambda body: (_) @body)) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
(expression_statement
  (assignment left: (identifier) @name) @definition.constant
  (#match? @name "^_?[A-Z][A-Z0-9_]*$"))
(decorator) @decorator
(comment) @comment
