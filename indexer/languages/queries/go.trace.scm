; Uses.
(call_expression function:
  [(identifier) @call
   (selector_expression) @call
   (index_expression operand: (_) @call index: [(identifier) (selector_expression)])])
(call_expression function: (parenthesized_expression
  [(identifier) @call
   (selector_expression) @call
   (unary_expression operator: "*" operand: [(identifier) (selector_expression)] @call)]))
(type_conversion_expression type: (generic_type type: (_) @call))
(composite_literal type:
  [(type_identifier) @new (qualified_type) @new (generic_type type: (_) @new)])
(composite_literal
  type: [(slice_type element: (_) @new) (array_type element: (_) @new)]
  body: (literal_value . (literal_element (literal_value))))
(composite_literal
  type: (map_type value: (_) @new)
  body: (literal_value . (keyed_element value: (literal_element (literal_value)))))
(call_expression
  function: (identifier) @_new
  arguments: (argument_list .
    [(identifier) (selector_expression) (type_identifier) (qualified_type)] @new)
  (#any-of? @_new "new" "make"))
(type_spec type: (struct_type (field_declaration_list (field_declaration
  !name type: [(type_identifier) @base (qualified_type) @base (generic_type type: (_) @base)]))))
(interface_type (type_elem .
  [(type_identifier) @base (qualified_type) @base (generic_type type: (_) @base)] .))
(argument_list [(identifier) @value (selector_expression) @value @passed])
(literal_value (literal_element [(identifier) (selector_expression)] @value))
(keyed_element value: (literal_element [(identifier) (selector_expression)] @value))

; Scopes beside functions and types.
[(func_literal) (function_type)] @scope.function
[(if_statement) (for_statement) (expression_switch_statement) (expression_case)
 (type_switch_statement) (type_case) (communication_case) (default_case)] @scope

; Names and what they hold. The first of several has the value's type, which is that of a
; function's first result; each other one has its own place among the results.
(parameter_declaration name: (identifier) @local type: (_) @local.type)
(method_declaration receiver: (parameter_list (parameter_declaration
  name: (identifier) @local @self)))
(variadic_parameter_declaration name: (identifier) @local)
(type_parameter_declaration
  name: (identifier) @local
  type: (type_constraint . [(type_identifier) (qualified_type)] @local.alias .)?)
(method_declaration receiver: (parameter_list (parameter_declaration type:
  [(generic_type type_arguments: (type_arguments (type_elem (type_identifier) @local)))
   (pointer_type (generic_type
     type_arguments: (type_arguments (type_elem (type_identifier) @local))))])))
(type_alias
  name: (type_identifier) @local
  type: [(type_identifier) (qualified_type) (generic_type) (pointer_type) (slice_type) (array_type)
         (map_type) (channel_type) (function_type)] @local.type)
(const_spec name: (identifier) @local type: (_)? @local.type)
(const_declaration
  (const_spec type: (_) @local.type)
  . [(const_spec !type !value) (comment)]*
  . (const_spec name: (identifier) @local !type !value))
(var_spec name: (identifier) @local type: (_)? @local.type)
(var_spec . name: (identifier) @local value: (expression_list .
  [(call_expression function: (_) @local.call)
   (composite_literal type: (_) @local.type)
   (unary_expression operator: "&" operand: (composite_literal type: (_) @local.type))
   (identifier) @local.alias
   (selector_expression) @local.alias]))
(short_var_declaration left: (expression_list (identifier) @local))
(assignment_statement left: (expression_list (identifier) @local @local.again))
(assignment_statement
  left: (expression_list . (identifier) @local .)
  right: (expression_list . [(identifier) (selector_expression)] @local.alias .))
(short_var_declaration
  left: (expression_list . (identifier) @local)
  right: (expression_list .
    [(call_expression function: [(identifier) (selector_expression)] @local.call)
     (call_expression function: (index_expression operand: (_) @local.call))
     (type_conversion_expression type: (generic_type type: (_) @local.call))
     (composite_literal type: (_) @local.type)
     (unary_expression operator: "&" operand: (composite_literal type: (_) @local.type))
     (type_assertion_expression type: (_) @local.type)
     (identifier) @local.alias
     (selector_expression) @local.alias
     (unary_expression
       operator: "&" operand: [(identifier) (selector_expression)] @local.alias)]))
(short_var_declaration
  left: (expression_list . (identifier) @local)
  right: (expression_list . (call_expression
    function: (identifier) @_new arguments: (argument_list . (_) @local.type)))
  (#any-of? @_new "new" "make"))
(short_var_declaration
  left: (expression_list . (identifier) @local)
  right: (expression_list . [
    (index_expression) @local.alias
    (slice_expression) @local.alias
    (unary_expression operator: "<-" operand: (_) @local.items)]))
(short_var_declaration left: (expression_list . (_) (identifier) @local) @local.among)
(short_var_declaration
  left: (expression_list) @local.among
  right: (expression_list . (call_expression function:
    [(identifier) @local.call (selector_expression) @local.call
     (index_expression operand: (_) @local.call)]) .))
(short_var_declaration
  left: (expression_list . (_) . (identifier) @local)
  right: (expression_list . (_) .
    [(call_expression function: [(identifier) (selector_expression)] @local.call)
     (composite_literal type: (_) @local.type)
     (unary_expression operator: "&" operand: (composite_literal type: (_) @local.type))
     (identifier) @local.alias
     (selector_expression) @local.alias]))
(var_spec . name: (_) name: (identifier) @local) @local.among
(var_spec value: (expression_list . (call_expression function: (_) @local.call) .)) @local.among
(range_clause left: (expression_list (identifier) @local))
(range_clause left: (expression_list . (identifier) @local .) right: (_) @local.items)
(range_clause left: (expression_list . (identifier) @local . (_)) @local.among right: (_) @local.items)
(range_clause left: (expression_list . (_) . (identifier) @local) @local.among right: (_) @local.items)
(receive_statement left: (expression_list (identifier) @local))
(receive_statement
  left: (expression_list . (identifier) @local)
  right: (unary_expression operator: "<-" operand: (_) @local.items))
(type_spec
  name: (type_identifier) @local
  type: [(slice_type) (array_type) (map_type) (channel_type) (function_type)] @local.type)
(type_switch_statement alias: (expression_list (identifier) @local))
(type_switch_statement
  alias: (expression_list (identifier) @local)
  (type_case . type: (_) @local.type . (statement_list)) @local.in)
(type_spec type: (struct_type (field_declaration_list
  [(field_declaration name: (field_identifier) @field type: (_) @field.type)
   (field_declaration !name type:
     [(type_identifier) @field @field.type
      (generic_type type: (type_identifier) @field @field.type)
      (qualified_type name: (type_identifier) @field) @field.type])])))
([(function_declaration result: (_) @returns)
  (method_declaration result: (_) @returns)
  (method_elem result: (_) @returns)]
 (#not-match? @returns "^\\("))
([(function_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
  (method_declaration result: (parameter_list . (parameter_declaration type: (_) @returns)))
  (method_elem result: (parameter_list . (parameter_declaration type: (_) @returns)))])
[(function_declaration
   result: (parameter_list . (_) (parameter_declaration type: (_) @returns)) @returns.among)
 (method_declaration
   result: (parameter_list . (_) (parameter_declaration type: (_) @returns)) @returns.among)
 (method_elem
   result: (parameter_list . (_) (parameter_declaration type: (_) @returns)) @returns.among)]

; Imports.
(import_spec name: (_)? @import.alias path: (_ (_) @import.module))
