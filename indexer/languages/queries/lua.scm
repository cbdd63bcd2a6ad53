; Tables that are classes or modules: they have a metatable, are derived, or have such a name.
((assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_call name: (identifier) @_function))) @definition.class
  (#any-of? @_function "setmetatable" "class")
  (#match? @name "^_?[A-Z]"))
((assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list .
    value: (function_call
      name: [(method_index_expression method: (identifier) @_function)
             (dot_index_expression field: (identifier) @_function)]))) @definition.class
  (#any-of? @_function "extend" "subclass")
  (#match? @name "^_?[A-Z]"))
(chunk [
  (variable_declaration
    (assignment_statement
      (variable_list . name: (identifier) @name)
      (expression_list . value: (table_constructor))) @definition.class)
  (assignment_statement
    (variable_list . name: (identifier) @name)
    (expression_list . value: (table_constructor))) @definition.class
]
  (#match? @name "^(_?M|_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)$"))

(function_declaration name: (identifier) @name) @definition.function
(function_declaration
  name: [(dot_index_expression table: (_) @container field: (identifier) @name)
         (method_index_expression table: (_) @container method: (identifier) @name)]) @definition.function
((assignment_statement
  (variable_list .
    name: (dot_index_expression
      table: [(identifier) (dot_index_expression)] @container
      field: (identifier) @name))
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
  (#not-match? @container "^self\\b"))
(assignment_statement
  (variable_list . name: (identifier) @name)
  (expression_list . value: (function_definition body: (_)? @body))) @definition.function
; Functions in a table that is a class or what the file returns.
((assignment_statement
  (variable_list . name: (identifier) @_table)
  (expression_list .
    value: (table_constructor
      (field
        name: (identifier) @name
        value: (function_definition body: (_)? @body)) @definition.function)))
  (#match? @_table "^(_?M|_?[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)$"))
(chunk (return_statement (expression_list .
  (table_constructor
    (field
      name: (identifier) @name
      value: (function_definition body: (_)? @body)) @definition.function))))
; And in a table that a function returns.
(block (return_statement (expression_list .
  (table_constructor
    (field
      name: (identifier) @name
      value: (function_definition body: (_)? @body)) @definition.function @member))))
(chunk [
  (variable_declaration
    (assignment_statement (variable_list . name: (identifier) @name)) @definition.constant)
  (assignment_statement (variable_list . name: (identifier) @name)) @definition.constant
]
  (#match? @name "^_?[A-Z][A-Z0-9_]+$"))

(_ local_declaration: (function_declaration) @private)
(variable_declaration
  (assignment_statement (expression_list . value: (function_definition))) @private)
(comment) @comment
