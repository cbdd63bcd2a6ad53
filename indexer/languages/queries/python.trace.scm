; Uses.
(call function: (_) @call)
(decorator [(identifier) (attribute)] @decorate)
(decorator (call function: (_) @decorate))
(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: (_) @base)))
(call arguments: (argument_list [(identifier) (attribute)] @value))
(call arguments: (argument_list (keyword_argument value: [(identifier) (attribute)] @value)))
(list [(identifier) (attribute)] @value)
(pair value: [(identifier) (attribute)] @value)
(raise_statement [(identifier) (attribute)] @value)

; Scopes beside functions and classes.
(lambda) @scope.function
(list_comprehension) @scope
(set_comprehension) @scope
(dictionary_comprehension) @scope
(generator_expression) @scope

; Names and what they hold.
(assignment left: (identifier) @local)
(assignment left: (identifier) @local type: (type) @local.type)
(assignment left: (identifier) @local right: (call function: (_) @local.call))
(assignment left: (identifier) @local right: (await (call function: (_) @local.call)))
(assignment left: (identifier) @local right: [(identifier) (attribute)] @local.alias)
(assignment left: (pattern_list (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(named_expression name: (identifier) @local)
(named_expression name: (identifier) @local value: (call function: (_) @local.call))
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field))
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  type: (type) @field.type)
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  right: (call function: (_) @field.call))
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  right: (await (call function: (_) @field.call)))
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  right: [(identifier) (attribute)] @field.alias)
(parameters (identifier) @local)
(parameters (typed_parameter (identifier) @local type: (type) @local.type))
(parameters (default_parameter name: (identifier) @local))
(parameters (typed_default_parameter name: (identifier) @local type: (type) @local.type))
(parameters (list_splat_pattern (identifier) @local))
(parameters (dictionary_splat_pattern (identifier) @local))
(parameters (typed_parameter (list_splat_pattern (identifier) @local)))
(parameters (typed_parameter (dictionary_splat_pattern (identifier) @local)))
(lambda_parameters (identifier) @local)
(lambda_parameters (default_parameter name: (identifier) @local))
(for_statement left: (identifier) @local)
(for_statement left: (pattern_list (identifier) @local))
(for_statement left: (tuple_pattern (identifier) @local))
(for_in_clause left: (identifier) @local)
(for_in_clause left: (pattern_list (identifier) @local))
(for_in_clause left: (tuple_pattern (identifier) @local))
(as_pattern alias: (as_pattern_target (identifier) @local))
(with_item (as_pattern
  (call function: (_) @local.call) alias: (as_pattern_target (identifier) @local)))
(with_item (as_pattern
  (await (call function: (_) @local.call)) alias: (as_pattern_target (identifier) @local)))
(except_clause (as_pattern
  [(identifier) (attribute)] @local.type alias: (as_pattern_target (identifier) @local)))
(function_definition return_type: (type) @returns)
(return_statement (call function: (_) @returns.call))

; Imports and what is given on.
(import_statement name: (dotted_name) @import.module)
(import_statement
  name: (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module name: (dotted_name) @import.name)
(import_from_statement
  module_name: (_) @import.module
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.wildcard)
(module (expression_statement (assignment
  left: (identifier) @_all
  right: [(list (string (string_content) @exports.only))
          (tuple (string (string_content) @exports.only))])
  (#eq? @_all "__all__")))
(module (expression_statement (augmented_assignment
  left: (identifier) @_all
  right: [(list (string (string_content) @exports.only))
          (tuple (string (string_content) @exports.only))])
  (#eq? @_all "__all__")))
