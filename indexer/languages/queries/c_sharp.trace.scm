; Uses.
(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @new)
(constructor_initializer "this" @call)
; Without a class as its first base, a class has that of the language.
(_
  (base_list . (_) @_base)
  body: (declaration_list (constructor_declaration (constructor_initializer "base" @call)))
  (#not-match? @_base "^I[A-Z]"))
(variable_declaration type: (_) @new (variable_declarator (implicit_object_creation_expression)))
(property_declaration type: (_) @new value: (implicit_object_creation_expression))
(attribute name: (_) @decorate)
(base_list
  [(identifier) @base
   (generic_name) @base
   (qualified_name) @base
   (primary_constructor_base_type type: (_) @base)])
(argument [(identifier) @value (member_access_expression) @value @passed] .)
(assignment_expression right: [(identifier) (member_access_expression)] @value)
(typeof_expression type: (_) @value @passed)

; Scopes beside functions and classes.
[(lambda_expression) (anonymous_method_expression) (operator_declaration)
 (conversion_operator_declaration) (indexer_declaration) (delegate_declaration)] @scope.function
[(for_statement) (foreach_statement) (using_statement) (catch_clause) (if_statement)
 (switch_section)] @scope
; An extension block, as csharp.py writes it.
((class_declaration name: (identifier) @_block) @scope (#eq? @_block "__x"))

; Names and what they hold.
(variable_declaration
  type: (_) @local.type
  (variable_declarator
    name: (identifier) @local
    [(object_creation_expression type: (_) @local.new)
     (cast_expression type: (_) @local.new)
     (as_expression right: (_) @local.new)
     (invocation_expression function: (_) @local.call)
     (await_expression (invocation_expression function: (_) @local.call))
     (identifier) @local.alias
     (member_access_expression) @local.alias]?))
(property_declaration type: (_) @local.type name: (identifier) @local)
(parameter type: (_)? @local.type name: (identifier) @local)
((parameter (modifier) @_this type: (_) @extends) (#eq? @_this "this"))
((class_declaration
   name: (identifier) @_block
   (parameter_list . (parameter type: (_) @extends))
   body: (declaration_list [(method_declaration name: (identifier) @extends.member)
                            (property_declaration name: (identifier) @extends.member)]))
 (#eq? @_block "__x"))
(type_parameter name: (identifier) @local)
(parameter_list name: (identifier) @local)
(implicit_parameter) @local
(foreach_statement type: (_) @local.type left: (identifier) @local right: (_) @local.items)
(invocation_expression
  function: (member_access_expression expression: (_) @local.items name: (identifier) @_each)
  arguments: (argument_list . (argument (lambda_expression parameters:
    [(implicit_parameter) @local
     (parameter_list . (parameter !type name: (identifier) @local) .)])))
  (#match? @_each "^(A(ll|ny)|Count|Exists|F(ind|irst).*|ForEach|Last.*|M(ax|in)By|OrderBy.*|RemoveAll|Select|Single.*|Sum|Where)$"))
; What a lambda is given tells the type of the delegate that the called method has there.
(parameter_list
  (parameter type: [(generic_name (identifier) @_delegate) @returns
                    (nullable_type (generic_name (identifier) @_delegate) @returns)])
  (#match? @_delegate "^(Action|Func|Predicate)$")) @returns.argument
(invocation_expression
  function: [(identifier)
             (member_access_expression name: [(identifier) (generic_name)] @_each)] @local.alias
  arguments: (argument_list (argument (lambda_expression parameters:
    [(implicit_parameter) @local @local.argument
     (parameter_list (parameter !type name: (identifier) @local)) @local.argument]))) @local.given
  (#not-match? @_each "^(A(ll|ny)|Count|Exists|F(ind|irst).*|ForEach|Last.*|M(ax|in)By|OrderBy.*|RemoveAll|Select|Single.*|Sum|Where)$"))
(from_clause name: (identifier) @local (_) @local.items .)
(let_clause . (identifier) @local
  [(invocation_expression function: (_) @local.call) (member_access_expression) @local.alias]?)
(tuple_pattern name: (identifier) @local)
(variable_declarator
  (tuple_pattern name: (identifier) @local) @local.among
  [(invocation_expression function: (_) @local.call)
   (await_expression (invocation_expression function: (_) @local.call))])
[(declaration_pattern type: (_) @local.type name: (identifier) @local)
 (declaration_expression type: (_) @local.type name: (identifier) @local)
 (recursive_pattern type: (_) @local.type name: (identifier) @local)
 (catch_declaration type: (_) @local.type name: (identifier) @local)]
(type_parameter_constraints_clause
  (identifier) @local (type_parameter_constraint type: (_) @local.alias))
(method_declaration returns: (_) @returns)
(local_function_statement type: (_) @returns)

; Imports.
(using_directive "global"? @import.exported) @import.tree
[(file_scoped_namespace_declaration name: (_) @namespace)
 (namespace_declaration name: (_) @namespace)]
