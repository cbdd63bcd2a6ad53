; Uses.
(call_expression . [
  (simple_identifier) (navigation_expression) (self_expression) (super_expression)
  (call_expression) (postfix_expression) (tuple_expression) (lambda_literal) (array_literal)
  (dictionary_literal) (prefix_expression)] @call)
; The grammar gives a call the whole sum or product that ends with its callee.
(call_expression . [
  (additive_expression rhs: (_) @call)
  (multiplicative_expression rhs: (_) @call)
  (nil_coalescing_expression if_nil: (_) @call)
  (ternary_expression if_false: (_) @call)
  (try_expression expr: (_) @call)])
(constructor_expression constructed_type: (user_type) @new)
(value_argument value: [(simple_identifier) @value (navigation_expression) @value @passed])
(attribute (user_type) @decorate)
(inheritance_specifier inherits_from: (user_type) @base)

(class_declaration "extension" name: (_) @extends)

; Scopes beside functions and classes.
(lambda_literal) @scope.function
[(if_statement) (for_statement) (while_statement) (do_statement) (catch_block) (switch_entry)
 (computed_property)] @scope

; Names and what they hold.
(pattern bound_identifier: (simple_identifier) @local)
(_ (value_binding_pattern)
  name: (pattern bound_identifier: (simple_identifier) @local)
  (type_annotation (_) @local.type)?
  value: [(call_expression . (_) @local.call)
          (try_expression expr: (call_expression . (_) @local.call))
          (await_expression expr: (call_expression . (_) @local.call))
          (try_expression expr: (await_expression expr: (call_expression . (_) @local.call)))
          (constructor_expression constructed_type: (_) @local.new)
          (as_expression (user_type) @local.new)
          (simple_identifier) @local.alias
          (navigation_expression) @local.alias]?)
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @local)
  (type_annotation (_) @local.type))
(_ bound_identifier: (simple_identifier) @local . (type_annotation (_) @local.type))
(_
  bound_identifier: (simple_identifier) @local .
  "=" .
  [(call_expression . (_) @local.call)
   (try_expression expr: (call_expression . (_) @local.call))
   (constructor_expression constructed_type: (_) @local.new)
   (as_expression (user_type) @local.new)
   (simple_identifier) @local.alias
   (navigation_expression) @local.alias
   (_)])
(catch_block error: (pattern
  (pattern bound_identifier: (simple_identifier) @local) name: (user_type) @local.type))
(parameter
  name: (simple_identifier) @local name: [(user_type) (optional_type)]? @local.type)
(lambda_parameter
  name: (simple_identifier) @local name: [(user_type) (optional_type)]? @local.type)
(type_parameter . (type_identifier) @local name: (user_type)? @local.alias)
; A constant of an enumeration is an instance of it.
(class_declaration
  "enum"
  name: (_) @field.type
  body: (enum_class_body (enum_entry name: (simple_identifier) @field)))
(_ "func" name: [(user_type) (optional_type)] @returns)

; Imports.
(import_declaration) @import.tree
