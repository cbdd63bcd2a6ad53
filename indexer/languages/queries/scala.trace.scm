; Uses.
(call_expression function: (_) @call)
(generic_function function: (_) @call)
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
(class_parameter name: (_) @local type: (_)? @local.type)
(parameter name: (_) @local type: (_)? @local.type)
(binding name: (_) @local type: (_)? @local.type)
(lambda_expression parameters: (identifier) @local)
(enumerator . (identifier) @local)
(typed_pattern pattern: (_) @local type: (_) @local.type)
(case_class_pattern pattern: (identifier) @local)
(case_clause pattern: (identifier) @local)
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
