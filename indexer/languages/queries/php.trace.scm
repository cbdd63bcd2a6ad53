; Uses.
(function_call_expression function: (_) @call)
(scoped_call_expression scope: (_) @receiver name: (name) @call)
(member_call_expression object: (_) @receiver name: (name) @call)
(nullsafe_member_call_expression object: (_) @receiver name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @new)
(anonymous_class
  [(base_clause [(name) (qualified_name)] @new)
   (class_interface_clause [(name) (qualified_name)] @new)])
(attribute . [(name) (qualified_name)] @decorate)
([(class_declaration
    [(base_clause [(name) (qualified_name)] @base)
     (class_interface_clause [(name) (qualified_name)] @base)])
  (interface_declaration (base_clause [(name) (qualified_name)] @base))
  (enum_declaration (class_interface_clause [(name) (qualified_name)] @base))])
(use_declaration [(name) (qualified_name)] @base)
((class_constant_access_expression . [(name) (qualified_name)] @value (name) @_class .)
  (#eq? @_class "class"))

; Scopes beside functions and classes.
[(anonymous_function) (arrow_function)] @scope.function

; Names and what they hold.
(assignment_expression
  left: (variable_name) @local
  right: [(object_creation_expression [(name) (qualified_name)] @local.new)
          (function_call_expression function: (_) @local.call)
          (scoped_call_expression scope: (_) @receiver name: (name) @local.call)
          (member_call_expression object: (_) @receiver name: (name) @local.call)
          (nullsafe_member_call_expression object: (_) @receiver name: (name) @local.call)
          (clone_expression (_) @local.alias)
          (variable_name) @local.alias
          (member_access_expression) @local.alias
          (subscript_expression) @local.alias]?)
(assignment_expression
  left: (variable_name) @local
  right: (class_constant_access_expression (name) @_constant .) @local.alias
  (#not-eq? @_constant "class"))
(assignment_expression
  left: (member_access_expression object: (variable_name) @self name: (name) @field)
  right: [(object_creation_expression [(name) (qualified_name)] @field.new)
          (function_call_expression function: (_) @field.call)
          (scoped_call_expression scope: (_) @receiver name: (name) @field.call)
          (member_call_expression object: (_) @receiver name: (name) @field.call)
          (variable_name) @field.alias
          (member_access_expression) @field.alias])
; Methods of traits under another name, and which of two is meant.
(use_declaration
  [(name) (qualified_name)] @field.alias
  (use_list (use_as_clause . (name) @field.part (name) @field .)))
(use_as_clause
  (class_constant_access_expression . (_) @field.alias (name) @field.part .) (name) @field .)
(use_instead_of_clause
  (class_constant_access_expression . (_) @field.alias (name) @field @field.part .))
(property_declaration
  type: (_)? @field.type (property_element name: (variable_name (name) @field)))
(property_promotion_parameter type: (_)? @field.type name: (variable_name (name) @field))
(property_promotion_parameter type: (_)? @local.type name: (variable_name) @local)
(simple_parameter type: (_)? @local.type name: (variable_name) @local)
(variadic_parameter name: (variable_name) @local)
(catch_clause type: (_) @local.type name: (variable_name) @local)
(foreach_statement . (_) @local.items .
  [(variable_name) @local
   (pair (_) . (variable_name) @local)
   (by_ref (variable_name) @local)])
(foreach_statement . (_) . (pair . (variable_name) @local))
(if_statement
  condition: (parenthesized_expression
    (binary_expression left: (variable_name) @local operator: "instanceof" right: (_) @local.type))
  body: (_) @local.within)
(conditional_expression
  condition: (binary_expression
    left: (variable_name) @local operator: "instanceof" right: (_) @local.type)
  body: (_) @local.within)
; Types that a doc comment tells.
((comment) @field.type .
  (property_declaration !type (property_element name: (variable_name (name) @field)))
  (#match? @field.type "@var\\s"))
((comment) @local.type .
  (expression_statement (assignment_expression left: (variable_name) @local))
  (#match? @local.type "@var\\s"))
((comment) @local.type .
  [(method_declaration
     parameters: (formal_parameters (simple_parameter !type name: (variable_name) @local)))
   (function_definition
     parameters: (formal_parameters (simple_parameter !type name: (variable_name) @local)))]
  (#match? @local.type "@param\\s"))
(list_literal [(variable_name) @local (array_element_initializer (variable_name) @local)])
; A constant of an enumeration is an instance of it.
(enum_declaration
  name: (_) @field.type body: (enum_declaration_list (enum_case name: (_) @field)))
(method_declaration return_type: (_) @returns)
(function_definition return_type: (_) @returns)
(function_definition !return_type body: (compound_statement (return_statement
  [(object_creation_expression [(name) (qualified_name)] @returns.new)
   (function_call_expression function: (_) @returns.call)])))

; Imports.
(namespace_use_declaration) @import.tree
(namespace_definition name: (_) @namespace)
