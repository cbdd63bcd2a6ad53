; Uses.
(call function: (_) @call)
(call function: (parenthesized_expression [(identifier) (attribute)] @call))
(call arguments: (argument_list
  [(identifier) @value
   (attribute) @value @passed
   (keyword_argument value: [(identifier) @value (attribute) @value @passed])]))
(list [(identifier) (attribute)] @value)
(pair value: [(identifier) (attribute)] @value)
(raise_statement [(identifier) (attribute)] @value)
; What is raised is made there, if it is a class, which its name tells.
(raise_statement
  . [(identifier) (attribute)] @call
  (#match? @call "(^|\\.)_*[A-Z][A-Za-z0-9_]*[a-z][A-Za-z0-9_]*$"))
(decorator [(identifier) @decorate (attribute) @decorate (call function: (_) @decorate)])
(class_definition superclasses: (argument_list
  [(identifier) @base (attribute) @base (subscript value: (_) @base)]))

; Scopes beside functions and classes.
(lambda) @scope.function
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(except_clause) @fallback

; What a fixture of pytest yields.
(yield
  [(call function: (_) @yields.call)
   (await (call function: (_) @yields.call))
   (identifier) @yields.alias
   (attribute) @yields.alias])

; Names and what they hold.
(assignment
  left: (identifier) @local
  type: (type)? @local.type
  right: [(call function: (_) @local.call)
          (await (call function: (_) @local.call))
          (identifier) @local.alias
          (attribute) @local.alias
          (subscript) @local.alias
          (list) @local.literal
          (list_comprehension) @local.literal
          (dictionary) @local.literal
          (dictionary_comprehension) @local.literal]?)
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  type: (type)? @field.type
  right: [(call function: (_) @field.call)
          (await (call function: (_) @field.call))
          (identifier) @field.alias
          (attribute) @field.alias
          (subscript) @field.alias
          (list) @field.literal
          (list_comprehension) @field.literal
          (dictionary) @field.literal
          (dictionary_comprehension) @field.literal]?)
; One of two values, of which the first says what it is: `a or b`, `a if c else b`, `c and a`.
(assignment
  left: (identifier) @local
  right: [
    (boolean_operator
      left: [(call function: (_) @local.call) (identifier) @local.alias (attribute) @local.alias]
      operator: "or")
    (boolean_operator
      operator: "and"
      right: [(call function: (_) @local.call) (identifier) @local.alias (attribute) @local.alias])
    (conditional_expression
      . [(call function: (_) @local.call) (identifier) @local.alias (attribute) @local.alias] . (_) . (none))
    (conditional_expression
      . (none) . (_) .
      [(call function: (_) @local.call) (identifier) @local.alias (attribute) @local.alias])])
(assignment
  left: (attribute object: (identifier) @self attribute: (identifier) @field)
  right: [
    (boolean_operator
      left: [(call function: (_) @field.call) (identifier) @field.alias (attribute) @field.alias]
      operator: "or")
    (boolean_operator
      operator: "and"
      right: [(call function: (_) @field.call) (identifier) @field.alias (attribute) @field.alias])
    (conditional_expression
      . [(call function: (_) @field.call) (identifier) @field.alias (attribute) @field.alias] . (_) . (none))
    (conditional_expression
      . (none) . (_) .
      [(call function: (_) @field.call) (identifier) @field.alias (attribute) @field.alias])])
; The names of a pattern, and what the pattern is given.
[(pattern_list [
   (identifier) @local
   (list_splat_pattern (identifier) @local)
   (tuple_pattern [(identifier) @local (tuple_pattern (identifier) @local)])])
 (tuple_pattern [
   (identifier) @local
   (list_splat_pattern (identifier) @local)
   (tuple_pattern [(identifier) @local (tuple_pattern (identifier) @local)])])] @local.among
(assignment
  left: [(pattern_list) (tuple_pattern)] @local.among
  right: [(call function: (_) @local.call)
          (await (call function: (_) @local.call))
          (identifier) @local.alias
          (attribute) @local.alias
          (subscript) @local.alias
          (expression_list) @local.alias
          (tuple) @local.alias
          (assignment right: [(expression_list) (tuple)] @local.alias)])
(assignment
  left: (identifier) @local
  right: (assignment right: [
    (call function: (_) @local.call)
    (identifier) @local.alias
    (attribute) @local.alias]))
(assignment
  left: (identifier) @local
  right: (call function: [(identifier) (attribute)] @_cast arguments: (argument_list . (_) @local.type . (_) .))
  (#match? @_cast "^(typing[.]|t[.])?cast$"))
(named_expression
  name: (identifier) @local
  value: [(call function: (_) @local.call) (attribute) @local.alias (subscript) @local.alias]?)
(parameters
  [(identifier) @local
   (typed_parameter (identifier) @local type: (type) @local.type)
   (default_parameter name: (identifier) @local)
   (typed_default_parameter name: (identifier) @local type: (type) @local.type)]) @local.parameters
(parameters
  [(list_splat_pattern (identifier) @local)
   (dictionary_splat_pattern (identifier) @local)
   (typed_parameter (list_splat_pattern (identifier) @local))
   (typed_parameter (dictionary_splat_pattern (identifier) @local))])
(lambda_parameters [
  (identifier) @local
  (default_parameter name: (identifier) @local value: [(identifier) (attribute)]? @local.alias)
  (list_splat_pattern (identifier) @local)
  (dictionary_splat_pattern (identifier) @local)])
(for_statement
  left: [(identifier) @local (pattern_list) @local.among (tuple_pattern) @local.among]
  right: (_) @local.items)
(for_in_clause
  left: [(identifier) @local (pattern_list) @local.among (tuple_pattern) @local.among]
  right: (_) @local.items)
(if_statement
  condition: [
    (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .))
    (boolean_operator left: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .)) operator: "and")
    (boolean_operator operator: "and" right: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .)))]
  consequence: (block) @local.within
  (#eq? @_isinstance "isinstance"))
(elif_clause
  condition: [
    (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .))
    (boolean_operator left: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .)) operator: "and")
    (boolean_operator operator: "and" right: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .)))]
  consequence: (block) @local.within
  (#eq? @_isinstance "isinstance"))
(block
  (if_statement
    condition: [
      (not_operator argument: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .)))
      (boolean_operator left: (not_operator argument: (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .))) operator: "or")]
    consequence: (block [(return_statement) (raise_statement) (continue_statement) (break_statement)] .)
    !alternative) @local.after
  (#eq? @_isinstance "isinstance")) @local.within
(conditional_expression
  . (_) @local.within
  . (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .))
  (#eq? @_isinstance "isinstance"))
(boolean_operator
  left: (call function: (identifier) @_isinstance arguments: (argument_list . (identifier) @local . (_) @local.type .))
  operator: "and"
  right: (_) @local.within
  (#eq? @_isinstance "isinstance"))
(assert_statement
  (call function: (identifier) @_isinstance arguments: (argument_list . [(identifier) @local (attribute) @narrowed] . (_) @local.type @narrowed.type .))
  (#eq? @_isinstance "isinstance"))
(as_pattern alias: (as_pattern_target (identifier) @local))
(with_statement (with_clause (with_item value: (as_pattern
  [(call function: (_) @local.call)
   (await (call function: (_) @local.call))
   (identifier) @local.alias
   (attribute) @local.alias]
  alias: (as_pattern_target (identifier) @local))))) @local.entered
(case_pattern (as_pattern
  (case_pattern (class_pattern (dotted_name) @local.type)) (identifier) @local))
(match_statement
  . subject: (identifier) @local
  . body: (block (case_clause
    . (case_pattern (class_pattern (dotted_name) @local.type))
    . guard: (_)?
    . consequence: (block) @local.within)))
(except_clause (as_pattern
  [(identifier) (attribute)] @local.type alias: (as_pattern_target (identifier) @local)))
(function_definition return_type: (type) @returns)
(return_statement [(call function: (_) @returns.call)
                   (await (call function: (_) @returns.call))
                   (identifier) @returns.alias
                   (attribute) @returns.alias
                   (subscript) @returns.alias])
(return_statement [
  (boolean_operator left: [
    (call function: (_) @returns.call) (identifier) @returns.alias (attribute) @returns.alias] "or")
  (boolean_operator right: [
    (call function: (_) @returns.call) (identifier) @returns.alias (attribute) @returns.alias])
  (conditional_expression . [
    (call function: (_) @returns.call) (identifier) @returns.alias (attribute) @returns.alias])
  (conditional_expression [
    (call function: (_) @returns.call) (identifier) @returns.alias (attribute) @returns.alias] .)])
[(global_statement (identifier) @outer) (nonlocal_statement (identifier) @outer)]

; Functions as values.
(default_parameter value: [(identifier) (attribute)] @default)
(assignment
  left: (subscript) @put.at
  right: [(identifier) (attribute) (call)] @put)

; Imports and what is given on.
(import_statement name:
  [(dotted_name) @import.module
   (aliased_import name: (dotted_name) @import.module alias: (identifier) @import.alias)])
(import_from_statement
  module_name: (_) @import.module
  name: [(dotted_name) @import.name
         (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias)])
(import_from_statement module_name: (_) @import.module (wildcard_import) @import.wildcard)
(module (expression_statement [
  (assignment left: (identifier) @_all
    right: [(list (string (string_content) @exports.only))
            (tuple (string (string_content) @exports.only))])
  (augmented_assignment left: (identifier) @_all
    right: [(list (string (string_content) @exports.only))
            (tuple (string (string_content) @exports.only))])])
  (#eq? @_all "__all__"))
(_ type_parameters: (type_parameter (type (identifier) @local @local.generic)))
