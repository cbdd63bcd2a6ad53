(class_declaration ["class" "actor"] name: (type_identifier) @name) @definition.class
(class_declaration "struct" name: (type_identifier) @name) @definition.struct
(class_declaration "enum" name: (type_identifier) @name) @definition.enum
(enum_entry name: (simple_identifier) @name @definition.constant @exported)
(class_declaration "extension" name: (_) @name) @scope
(protocol_declaration name: (type_identifier) @name) @definition.interface
; Of any declaration with `func`: compiling a pattern of function_declaration takes 0.1 s.
(_ "func" name: (simple_identifier) @name) @definition.function
(init_declaration "init" @name) @definition.method
(deinit_declaration "deinit" @name) @definition.method
(typealias_declaration name: (type_identifier) @name) @definition.type
(source_file
  (property_declaration
    (value_binding_pattern "let")
    name: (pattern bound_identifier: (simple_identifier) @name)) @definition.constant)

(_ (modifiers (visibility_modifier ["public" "open"]))) @exported
(attribute) @decorator
(comment) @comment
(multiline_comment) @comment
