(class_declaration
  (modifiers (class_modifier "enum"))
  name: (identifier) @name
  (enum_class_body)? @body) @definition.enum
(class_declaration "class" name: (identifier) @name (class_body)? @body) @definition.class
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @definition.interface
(object_declaration name: (identifier) @name (class_body)? @body) @definition.class
; The name alone: methods in an entry's body are those of its class.
(enum_entry (identifier) @name @definition.constant)
(companion_object) @scope
(function_declaration name: (identifier) @name (function_body)? @body) @definition.function
(secondary_constructor "constructor" @name (block)? @body) @definition.method
(type_alias (identifier) @name) @definition.type
(property_declaration
  (modifiers (property_modifier "const"))
  (variable_declaration (identifier) @name)) @definition.constant

(_ (modifiers (visibility_modifier ["private" "protected" "internal"]))) @private
(annotation) @decorator
(line_comment) @comment
(block_comment) @comment
