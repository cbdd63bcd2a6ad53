; Uses.
(call_expression function: (_) @call)
(generic_function function: (_) @call)
; A method may be called without brackets, wherever a value stands.
([(compilation_unit [(identifier) (field_expression)] @call)
  (template_body [(identifier) (field_expression)] @call)
  (with_template_body [(identifier) (field_expression)] @call)
  (block [(identifier) (field_expression)] @call)
  (indented_block [(identifier) (field_expression)] @call)
  (function_definition body: [(identifier) (field_expression)] @call)
  (val_definition value: [(identifier) (field_expression)] @call)
  (var_definition value: [(identifier) (field_expression)] @call)
  (given_definition body: [(identifier) (field_expression)] @call)
  (parameter default_value: [(identifier) (field_expression)] @call)
  (class_parameter default_value: [(identifier) (field_expression)] @call)
  (assignment_expression right: [(identifier) (field_expression)] @call)
  (infix_expression left: [(identifier) (field_expression)] @call)
  (infix_expression right: [(identifier) (field_expression)] @call)
  (postfix_expression . [(identifier) (field_expression)] @call)
  (prefix_expression [(identifier) (field_expression)] @call)
  (parenthesized_expression [(identifier) (field_expression)] @call)
  (tuple_expression [(identifier) (field_expression)] @call)
  (ascription_expression . [(identifier) (field_expression)] @call)
  (if_expression [(identifier) (field_expression)] @call)
  (while_expression [(identifier) (field_expression)] @call)
  (do_while_expression [(identifier) (field_expression)] @call)
  (match_expression value: [(identifier) (field_expression)] @call)
  (case_clause body: [(identifier) (field_expression)] @call)
  (guard condition: [(identifier) (field_expression)] @call)
  (for_expression body: [(identifier) (field_expression)] @call)
  (enumerator (_) . [(identifier) (field_expression)] @call)
  (lambda_expression parameters: (_) [(identifier) (field_expression)] @call)
  (try_expression body: [(identifier) (field_expression)] @call)
  (finally_clause [(identifier) (field_expression)] @call)
  (throw_expression [(identifier) (field_expression)] @call)
  (return_expression [(identifier) (field_expression)] @call)
  (interpolation [(identifier) (field_expression)] @call)
  (field_expression value: [(identifier) (field_expression)] @call)]
  (#match? @call "(^|[.]\\s*)[a-z_]\\w*$"))
(infix_expression left: (_) @infix operator: (identifier) @call)
(postfix_expression (_) @infix . (identifier) @call)
(instance_expression
  [(type_identifier) @new
   (stable_type_identifier) @new
   (generic_type type: (_) @new)
   (compound_type base: [(type_identifier) @new (stable_type_identifier) @new
                         (generic_type type: (_) @new)])])
(arguments [(identifier) @value (field_expression) @value @passed])
(annotation name: (_) @decorate)
([(class_definition extend: (extends_clause
    [(type_identifier) @base (stable_type_identifier) @base (generic_type type: (_) @base)]))
  (object_definition extend: (extends_clause
    [(type_identifier) @base (stable_type_identifier) @base (generic_type type: (_) @base)]))
  (trait_definition extend: (extends_clause
    [(type_identifier) @base (stable_type_identifier) @base (generic_type type: (_) @base)]))
  (enum_definition extend: (extends_clause
    [(type_identifier) @base (stable_type_identifier) @base (generic_type type: (_) @base)]))])

; Scopes beside functions and classes.
(lambda_expression) @scope.function
[(block) (case_clause) (for_expression)] @scope

; Names and what they hold.
([(val_definition
    pattern: (identifier) @local
    type: (_)? @local.type
    value: [(call_expression function: (_) @local.call)
            (instance_expression [(type_identifier) @local.new
                                  (stable_type_identifier) @local.new
                                  (generic_type type: (_) @local.new)])
            (identifier) @local.alias
            (field_expression) @local.alias]?)
  (var_definition
    pattern: (identifier) @local
    type: (_)? @local.type
    value: [(call_expression function: (_) @local.call)
            (instance_expression [(type_identifier) @local.new
                                  (stable_type_identifier) @local.new
                                  (generic_type type: (_) @local.new)])
            (identifier) @local.alias
            (field_expression) @local.alias]?)])
[(val_declaration name: (_) @local type: (_) @local.type)
 (var_declaration name: (_) @local type: (_) @local.type)]
(tuple_pattern (identifier) @local)
(infix_pattern left: (identifier) @local)
(infix_pattern right: (identifier) @local)
(capture_pattern . (identifier) @local)
(named_pattern (identifier) @local .)
(self_type . (identifier) @local)
(identifiers (identifier) @local)
(case_clause pattern: (interpolated_string_expression
  (interpolated_string (interpolation (identifier) @local))))
(class_parameter name: (_) @local type: (_)? @local.type)
(parameter name: (_) @local type: (_)? @local.type)
(binding name: (_) @local type: (_)? @local.type)
(lambda_expression parameters: (identifier) @local)
(enumerator . (identifier) @local)
(typed_pattern pattern: (_) @local type: (_) @local.type)
(case_class_pattern pattern: (identifier) @local)
(case_clause pattern: (identifier) @local)
; A constant of an enumeration is an instance of it.
(enum_definition
  name: (_) @field.type
  body: (enum_body (enum_case_definitions (simple_enum_case name: (_) @field))))
(type_parameters name: (identifier) @local bound: (upper_bound type: (_) @local.alias))
(function_definition return_type: (_) @returns)
(function_declaration return_type: (_) @returns)
(function_definition !return_type body:
  [(call_expression function: (_) @returns.call)
   (instance_expression [(type_identifier) @returns.new (generic_type type: (_) @returns.new)])])

(extension_definition
  ["extension" (type_parameters)] . (parameters (parameter type: (_) @extends))
  (function_definition name: (_) @extends.member))

; Imports.
(import_declaration) @import.tree
(package_clause name: (_) @namespace)
