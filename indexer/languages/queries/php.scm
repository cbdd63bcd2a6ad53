(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.method
; Named as calls of it are: `$f()`. The variable is no other file's.
(assignment_expression
  left: (variable_name) @name
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)])
  @definition.function @private
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
(const_declaration (const_element (name) @name)) @definition.constant

(_ (visibility_modifier ["private" "protected"])) @private
(attribute_list) @decorator
(comment) @comment
