; Uses.
(call_expression function:
  [(identifier) @call
   (scoped_identifier) @call
   (field_expression) @call
   (generic_function function: (_) @call)])
(macro_invocation macro: (_) @call)
; What a macro is given is tokens: `a::b(`, `a.b(`, `.b(` and `b(` are calls there.
(token_tree (identifier) @call . (token_tree . "("))
(token_tree ["." "::"] @receiver . (identifier) @call . (token_tree . "("))
(token_tree
  [(identifier) (self) (super) (crate)] @receiver . ["." "::"] .
  (identifier) @call . (token_tree . "("))
(token_tree
  [(identifier) (self) (super) (crate)] @receiver . ["." "::"] .
  (identifier) . ["." "::"] .
  (identifier) @call . (token_tree . "("))
(struct_expression name:
  [(type_identifier) @new
   (scoped_type_identifier) @new
   (generic_type_with_turbofish type: (_) @new)])
(impl_item trait:
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)])
(trait_item bounds: (trait_bounds
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)]))
(trait_item (where_clause (where_predicate left: (type_identifier) @_self bounds: (trait_bounds
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type type: (_) @base)])))
  (#eq? @_self "Self"))
(attribute_item (attribute . [(identifier) (scoped_identifier)] @decorate))
(attribute_item (attribute
  . (identifier) @_derive
  arguments: (token_tree [(identifier) @decorate ((identifier) @receiver . "::" . (identifier) @decorate)] . ["," ")"]))
  (#eq? @_derive "derive"))
(arguments
  [(identifier) @value
   (scoped_identifier) @value
   (reference_expression value: [(identifier) (scoped_identifier)] @value)])
(array_expression [(identifier) (scoped_identifier)] @value)
(field_initializer value: [(identifier) (scoped_identifier)] @value)

; Scopes beside functions and types.
[(closure_expression) (function_type)] @scope.function
[(if_expression) (match_arm) (for_expression) (while_expression) (async_block)] @scope

; Names and what they hold.
(parameter
  pattern: [(identifier) @local (mut_pattern (identifier) @local)]
  type: (_) @local.type)
(closure_parameters (identifier) @local)
(let_declaration
  pattern: (identifier) @local
  type: (_)? @local.type
  value:
    [(call_expression function: (_) @local.call)
     (try_expression (call_expression function: (_) @local.call))
     (await_expression (call_expression function: (_) @local.call))
     (try_expression (await_expression (call_expression function: (_) @local.call)))
     (struct_expression name: (_) @local.new)
     (reference_expression value: [(identifier) (field_expression)] @local.alias)
     (identifier) @local.alias
     (scoped_identifier) @local.alias
     (field_expression) @local.alias]?
  (#not-match? @local.call "\\)\\s*\\.\\w+$"))
(let_declaration
  pattern: (identifier) @local
  value: (call_expression function: (field_expression
    value: [(call_expression function: (_) @local.call)
            (await_expression (call_expression function: (_) @local.call))
            (identifier) @local.alias
            (field_expression) @local.alias]
    field: (field_identifier) @_same))
  (#any-of? @_same "unwrap" "expect" "unwrap_or_default" "clone" "as_ref" "as_mut" "borrow"
    "borrow_mut" "to_owned"))
([(let_condition
    pattern: (tuple_struct_pattern type: (identifier) @_some . "(" . (identifier) @local)
    value: [(call_expression function: (_) @local.call)
            (await_expression (call_expression function: (_) @local.call))
            (reference_expression value: [(identifier) (field_expression)] @local.alias)
            (identifier) @local.alias
            (field_expression) @local.alias])
  (let_declaration
    pattern: (tuple_struct_pattern type: (identifier) @_some . "(" . (identifier) @local)
    value: [(call_expression function: (_) @local.call)
            (await_expression (call_expression function: (_) @local.call))
            (reference_expression value: [(identifier) (field_expression)] @local.alias)
            (identifier) @local.alias
            (field_expression) @local.alias])]
 (#any-of? @_some "Some" "Ok"))
(tuple_struct_pattern "(" (identifier) @local)
(tuple_pattern (identifier) @local)
(slice_pattern (identifier) @local)
(ref_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(reference_pattern (identifier) @local)
(captured_pattern . (identifier) @local)
(field_pattern
  [name: (shorthand_field_identifier) @local
   pattern: (identifier) @local])
((match_pattern . (identifier) @local) (#match? @local "^[a-z_]"))
(for_expression pattern: (identifier) @local)
; A type parameter is the first trait that bounds it, of those that may have other methods.
(type_parameter name: (type_identifier) @local)
([(type_parameter
     name: (type_identifier) @local
     bounds: (trait_bounds
       [(type_identifier) @local.alias (scoped_type_identifier) @local.alias
        (generic_type type: (_) @local.alias)]))
  (_
    type_parameters: (type_parameters (type_parameter name: (type_identifier) @local @_declared))
    (where_clause (where_predicate left: (type_identifier) @_bounded bounds: (trait_bounds
      [(type_identifier) @local.alias (scoped_type_identifier) @local.alias
       (generic_type type: (_) @local.alias)]))))]
 (#eq? @_bounded @_declared)
 (#not-match? @local.alias "^(Clone|Copy|Debug|Default|Display|Eq|Hash|Ord|PartialEq|PartialOrd|Send|Sized|Sync|Unpin)$"))
(const_item name: (identifier) @local type: (_) @local.type)
(static_item name: (identifier) @local type: (_) @local.type)
(struct_item body: (field_declaration_list (field_declaration
  name: (field_identifier) @field type: (_) @field.type)))
; A constant of an enumeration is an instance of it.
(enum_item
  name: (_) @field.type body: (enum_variant_list (enum_variant name: (_) @field)))
(function_item return_type: (_) @returns)
(function_signature_item return_type: (_) @returns)

(impl_item type: [(type_identifier) (primitive_type) (scoped_type_identifier) (generic_type) (reference_type)] @extends)

; Imports and what is given on.
(use_declaration (visibility_modifier)? @import.exported) @import.tree
(extern_crate_declaration name: (identifier) @import.module alias: (identifier)? @import.alias)
(mod_item name: (identifier) @import.submodule !body)
