(class_definition name: (identifier) @name) @definition.class
(object_definition name: (identifier) @name) @definition.class
(trait_definition name: (identifier) @name) @definition.trait
(enum_definition name: (identifier) @name) @definition.enum
(enum_case_definitions (_ name: (identifier) @name @definition.constant))
(type_definition name: (type_identifier) @name) @definition.type
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(given_definition name: (_) @name) @definition.constant
(val_definition pattern: (identifier) @name (#match? @name "^[A-Z]")) @definition.constant

(_ (modifiers (access_modifier ["private" "protected"]))) @private
(annotation) @decorator
(comment) @comment
(block_comment) @comment
