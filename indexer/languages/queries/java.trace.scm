; Uses.
(method_invocation object: (_)? @receiver name: (_) @call)
(object_creation_expression type: (_) @new)
(method_reference . (_) @new "new" .)
(explicit_constructor_invocation constructor: (this) @call)
(class_declaration
  superclass: (_)
  body: (class_body (constructor_declaration body: (constructor_body
    (explicit_constructor_invocation constructor: (super) @call)))))
(argument_list (method_reference) @value @passed)
(class_literal (_) @value @passed)
(marker_annotation name: (_) @decorate)
(annotation name: (_) @decorate)
(superclass
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)])
(type_list
  [(type_identifier) @base (scoped_type_identifier) @base (generic_type . (_) @base)])

; Scopes beside functions and classes.
(lambda_expression) @scope.function
[(for_statement) (enhanced_for_statement) (try_with_resources_statement) (if_statement)
 (catch_clause)] @scope

; Names and what they hold.
[(field_declaration
   type: (_) @local.type
   declarator: (variable_declarator name: (identifier) @local !dimensions))
 (constant_declaration
   type: (_) @local.type
   declarator: (variable_declarator name: (identifier) @local !dimensions))]
(local_variable_declaration
  type: (_) @local.type
  declarator: (variable_declarator
    name: (identifier) @local
    !dimensions
    value: [(object_creation_expression type: (_) @local.new)
            (method_invocation object: (_)? @receiver name: (_) @local.call)
            (field_access) @local.alias]?))
(formal_parameter type: (_) @local.type name: (identifier) @local)
(spread_parameter (variable_declarator name: (identifier) @local))
(resource
  type: (_) @local.type
  name: (identifier) @local
  value: [(object_creation_expression type: (_) @local.new)
          (method_invocation object: (_)? @receiver name: (_) @local.call)])
(catch_formal_parameter (catch_type) @local.type name: (identifier) @local)
(enhanced_for_statement
  type: (_) @local.type name: (identifier) @local value: (_) @local.items)
(instanceof_expression right: (_) @local.type name: (identifier) @local)
[(type_pattern (_) @local.type (identifier) @local .)
 (record_pattern_component (_) @local.type (identifier) @local .)]
(lambda_expression parameters:
  [(identifier) @local (inferred_parameters (identifier) @local)])
(method_invocation
  object: (_) @local.items
  name: (identifier) @_each
  arguments: (argument_list . (lambda_expression parameters:
    [(identifier) @local (inferred_parameters . (identifier) @local .)]))
  (#match? @_each "^(allMatch|anyMatch|filter|flatMap|forEach|ifPresent|map|mapTo.*|noneMatch|peek|removeIf)$"))
(type_parameter
  . (type_identifier) @local
  (type_bound . [(type_identifier) @local.alias
                 (scoped_type_identifier) @local.alias
                 (generic_type . (_) @local.alias)])?)
; A constant of an enumeration is an instance of it.
(enum_declaration
  name: (_) @field.type body: (enum_body (enum_constant name: (identifier) @field)))
(method_declaration type: (_) @returns)

; Imports.
(import_declaration) @import.tree
(package_declaration (_) @namespace)
