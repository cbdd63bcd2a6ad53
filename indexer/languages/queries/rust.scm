(function_item name: (identifier) @name) @definition.function
(function_signature_item name: (identifier) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(union_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(enum_variant name: (identifier) @name) @definition.constant @exported
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.constant
(macro_definition name: (identifier) @name) @definition.function
(mod_item name: (identifier) @name body: (_)) @definition.module
(impl_item type: [(type_identifier) (primitive_type)] @name) @scope
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item type: (reference_type type: [(type_identifier) (primitive_type)] @name)) @scope

(_ (visibility_modifier)) @exported
(trait_item body: (declaration_list (_) @exported))
(impl_item trait: (_) body: (declaration_list (_) @exported))
(attribute_item) @decorator
(line_comment) @comment
(block_comment) @comment
