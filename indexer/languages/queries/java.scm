(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method @exported
; The name alone: methods in a constant's body are those of its class.
(enum_constant name: (identifier) @name @definition.constant @exported)
(field_declaration
  (modifiers "static" "final")
  declarator: (variable_declarator name: (identifier) @name)) @definition.constant

(_ (modifiers "public")) @exported
(interface_body (_) @exported)
(marker_annotation) @decorator
(annotation) @decorator
(line_comment) @comment
(block_comment) @comment
