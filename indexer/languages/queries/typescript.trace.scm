(extends_clause value: [(identifier) (member_expression)] @base)
(implements_clause [(type_identifier) @base
                    (nested_type_identifier) @base
                    (generic_type name: (_) @base)])
(extends_type_clause type: [(type_identifier) @base
                            (nested_type_identifier) @base
                            (generic_type name: (_) @base)])

[(function_type) (constructor_type) (call_signature) (construct_signature) (method_signature)
 (abstract_method_signature)] @scope.function
(call_expression function: (parenthesized_expression
  [(as_expression . [(identifier) (member_expression)] @call)
   (non_null_expression [(identifier) (member_expression)] @call)]))
(arguments (instantiation_expression . [(identifier) @value (member_expression) @value @passed]))
(type_alias_declaration
  name: (type_identifier) @local
  value: [(type_identifier) @local.type
          (object_type) @local.type
          (array_type) @local.type
          (function_type) @local.type
          (tuple_type) @local.type
          (nested_type_identifier) @local.type
          (generic_type) @local.type
          (intersection_type
            . (object_type)? . [(type_identifier) (nested_type_identifier) (generic_type)] @local.type)
          (intersection_type . (intersection_type
            . (object_type)? . [(type_identifier) (nested_type_identifier) (generic_type)] @local.type))])

; Parameters without a type of their own have that of the function type that is asked for; what a
; generic one gives them depends on its arguments.
(variable_declarator
  type: (type_annotation
    [(type_identifier) (nested_type_identifier) (function_type)] @local.type)
  value: [(arrow_function parameter: (identifier) @local @local.argument)
          (_ parameters: (formal_parameters (required_parameter
            pattern: [(identifier) @local
                      (object_pattern (shorthand_property_identifier_pattern) @local @local.part)]
            !type)) @local.argument)])
(public_field_definition
  type: (type_annotation
    [(type_identifier) (nested_type_identifier) (function_type)] @local.type)
  value: [(arrow_function parameter: (identifier) @local @local.argument)
          (_ parameters: (formal_parameters (required_parameter
            pattern: [(identifier) @local
                      (object_pattern (shorthand_property_identifier_pattern) @local @local.part)]
            !type)) @local.argument)])
(_
  return_type: (type_annotation
    [(type_identifier) (nested_type_identifier) (function_type)] @local.type)
  body: (statement_block (return_statement
    [(arrow_function parameter: (identifier) @local @local.argument)
     (_ parameters: (formal_parameters (required_parameter
       pattern: [(identifier) @local
                 (object_pattern (shorthand_property_identifier_pattern) @local @local.part)]
       !type)) @local.argument)])))

(formal_parameters
  (_ type: (type_annotation
    [(function_type) (parenthesized_type (function_type))]) @returns)) @returns.argument
(call_expression
  function: (identifier) @local.alias
  arguments: (arguments
    [(arrow_function parameter: (identifier) @local @local.argument)
     (binary_expression
       operator: "&&"
       right: (parenthesized_expression
         (arrow_function parameter: (identifier) @local @local.argument)))
     (_ parameters: (formal_parameters (required_parameter
       pattern: (identifier) @local !type)) @local.argument)]) @local.given)
(call_expression
  function: (member_expression property: (property_identifier) @_each) @local.alias
  arguments: (arguments
    [(arrow_function parameter: (identifier) @local @local.argument)
     (_ parameters: (formal_parameters (required_parameter
       pattern: (identifier) @local !type)) @local.argument)]) @local.given
  (#not-match? @_each "^(every|filter|find|findIndex|findLast|flatMap|forEach|map|some|then|catch|reduce|sort)$"))

(type_parameter
  name: (type_identifier) @local
  constraint: (constraint [(type_identifier) @local.alias
                           (nested_type_identifier) @local.alias
                           (generic_type name: (_) @local.alias)])?)
(variable_declarator name: (identifier) @local type: (type_annotation) @local.type)
(variable_declarator name: (identifier) @local value: (as_expression (_) . (_) @local.type))
(variable_declarator
  name: (identifier) @local
  value: (non_null_expression [(call_expression function: (_) @local.call)
                               (identifier) @local.alias
                               (member_expression) @local.alias]))
(variable_declarator
  name: [(object_pattern
           [(shorthand_property_identifier_pattern) @local @local.part
            (pair_pattern key: (property_identifier) @local.part value: (identifier) @local)])
         (array_pattern) @local.among]
  type: (type_annotation)? @local.type
  value: [(as_expression (_) . (_) @local.type)
          (non_null_expression [(call_expression function: (_) @local.call)
                                (identifier) @local.alias
                                (member_expression) @local.alias])]?)
([(required_parameter
    pattern: (object_pattern
      [(shorthand_property_identifier_pattern) @local @local.part
       (pair_pattern key: (property_identifier) @local.part value: (identifier) @local)
       (object_assignment_pattern
         left: (shorthand_property_identifier_pattern) @local @local.part)])
    type: (type_annotation) @local.type)])
(required_parameter pattern: (identifier) @local type: (type_annotation)? @local.type)
(optional_parameter pattern: (identifier) @local type: (type_annotation)? @local.type)
(required_parameter
  (accessibility_modifier) pattern: (identifier) @field type: (type_annotation)? @field.type)
(required_parameter
  "readonly" pattern: (identifier) @field type: (type_annotation)? @field.type)
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @field
  type: (type_annotation)? @field.type
  value: [(new_expression constructor: (_) @field.new)
          (call_expression function: (_) @field.call)
          (identifier) @field.alias
          (member_expression) @field.alias]?)
(property_signature name: (property_identifier) @field type: (type_annotation) @field.type)
(_ return_type: (type_annotation) @returns)
(interface_body (property_signature type: (type_annotation (function_type return_type: (_) @returns))))

(import_statement (import_require_clause
  (identifier) @import.namespace source: (string (string_fragment) @import.module)))
(export_statement "=" (identifier) @export.whole)

(call_expression
  function: (member_expression object: (_) @local.items property: (property_identifier) @_each)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @local)
    (arrow_function parameters: (formal_parameters . (required_parameter
      pattern: [(identifier) @local
                (object_pattern (shorthand_property_identifier_pattern) @local @local.part)]
      !type)))])
  (#match? @_each "^(every|filter|find|findIndex|findLast|flatMap|forEach|map|some)$"))
