; Uses.
(call_expression . (_) @call)
(infix_expression . (_) @infix . (identifier) @call)
(constructor_delegation_call "this" @call)
; Of several bases nothing tells which is the class.
(class_declaration
  (delegation_specifiers . (delegation_specifier) .)
  (class_body (secondary_constructor (constructor_delegation_call "super" @call))))
(value_argument [(callable_reference) @value (navigation_expression "::") @value @passed])
(annotation [(user_type) @decorate (constructor_invocation (user_type) @decorate)])
([(class_declaration
    (delegation_specifiers (delegation_specifier
      [(user_type) @base
       (constructor_invocation (user_type) @base)
       (explicit_delegation . (user_type) @base)])))
  (object_declaration
    (delegation_specifiers (delegation_specifier
      [(user_type) @base
       (constructor_invocation (user_type) @base)
       (explicit_delegation . (user_type) @base)])))])
(object_literal
  (delegation_specifiers (delegation_specifier
    [(user_type) @new (constructor_invocation (user_type) @new)])))

; Scopes beside functions and classes.
(lambda_literal) @scope.function
(anonymous_function) @scope.function
[(for_statement) (catch_block) (when_expression) (if_expression)] @scope

; Names and what they hold.
(variable_declaration . (identifier) @local [(user_type) (nullable_type)]? @local.type)
(property_declaration
  (variable_declaration . (identifier) @local)
  [(call_expression . (_) @local.call)
   (identifier) @local.alias
   (navigation_expression) @local.alias])
(multi_variable_declaration (variable_declaration (identifier) @local)) @local.among
(for_statement
  [(variable_declaration . (identifier) @local) (multi_variable_declaration) @local.among]
  . (_) @local.items)
(call_expression
  (navigation_expression (_) @local.items (identifier) @_each)
  (annotated_lambda (lambda_literal
    (lambda_parameters . (variable_declaration . (identifier) @local) .)))
  (#match? @_each "^(a(ll|ny|ssociateBy)|count|f(ilter|ind|irst|latMap|orEach).*|groupBy|last.*|map.*|none|onEach|partition|s(ingle.*|ortedBy.*|umOf))$"))
(class_parameter (identifier) @local [(user_type) (nullable_type)] @local.type)
(class_parameter (identifier) @local)
(parameter . (identifier) @local [(user_type) (nullable_type)]? @local.type)
(catch_block . (identifier) @local (user_type) @local.type)
(type_parameter (identifier) @local (user_type)? @local.alias)
; A constant of an enumeration is an instance of it.
(class_declaration
  name: (identifier) @field.type (enum_class_body (enum_entry (identifier) @field)))
(function_declaration [(user_type) (nullable_type)] @extends . ".")
(property_declaration [(user_type) (nullable_type)] @extends . ".")
(function_declaration
  (function_value_parameters) . [(user_type) (nullable_type)] @returns)
(function_declaration (function_body . (call_expression . (_) @returns.call)))

; Imports.
(import) @import.tree
(package_header (_) @namespace)
