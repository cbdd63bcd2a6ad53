; On top of c.trace.scm. Uses.
(call_expression function: [(qualified_identifier) (template_function) (call_expression)] @call)
(new_expression type: (_) @new)
(compound_literal_expression type: (_) @new)
(field_initializer . (_) @new @initialized)
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @new
  declarator: (init_declarator value: [(argument_list) (initializer_list)]))
(compound_statement (declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @new
  declarator: (identifier)))
(call_expression
  function: (qualified_identifier name: (template_function
    name: (identifier) @_make
    arguments: (template_argument_list . (type_descriptor) @new)))
  (#any-of? @_make "make_unique" "make_shared"))
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)
(argument_list
  [(qualified_identifier) @value
   (pointer_expression operator: "&" argument: (qualified_identifier) @value)])

; Functions that are declared here and defined elsewhere.
(declaration declarator: (reference_declarator
  (function_declarator declarator: (identifier) @declares)))
(field_declaration declarator:
  [(function_declarator declarator: (field_identifier) @declares)
   (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @declares))
   (pointer_declarator declarator: (pointer_declarator
     declarator: (function_declarator declarator: (field_identifier) @declares)))
   (reference_declarator (function_declarator declarator: (field_identifier) @declares))])
; Likewise classes.
(_ [(class_specifier name: (type_identifier) @declares !body)
    (struct_specifier name: (type_identifier) @declares !body)] . ";")

; Scopes.
(lambda_expression) @scope.function
[(for_range_loop) (catch_clause)] @scope
(field_declaration declarator:
  [(function_declarator parameters: (_) @scope)
   (pointer_declarator declarator: (function_declarator parameters: (_) @scope))
   (reference_declarator (function_declarator parameters: (_) @scope))])

; Names and what they hold.
(parameter_declaration
  type: (_) @local.type
  declarator: (reference_declarator (identifier) @local))
(optional_parameter_declaration
  type: (_) @local.type
  declarator:
    [(identifier) @local
     (pointer_declarator declarator: (identifier) @local)
     (reference_declarator (identifier) @local)])
(declaration
  type: (_) @local.type
  declarator: (init_declarator declarator: (reference_declarator (identifier) @local)))
(compound_statement (declaration
  type: (_) @local.type
  declarator: (function_declarator declarator: (identifier) @local)))
(structured_binding_declarator (identifier) @local) @local.among
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator:
      [(identifier) @local
       (pointer_declarator declarator: (identifier) @local)
       (reference_declarator (identifier) @local)
       (structured_binding_declarator) @local.among
       (reference_declarator (structured_binding_declarator) @local.among)]
    value:
      [(call_expression function: [(identifier) (field_expression)] @local.call)
       (call_expression function: (qualified_identifier name: (identifier)) @local.call)
       (new_expression type: (_) @local.new)
       (identifier) @local.alias
       (field_expression) @local.alias
       (subscript_expression) @local.alias
       (compound_literal_expression type: (_) @local.new)]))
(declaration
  type: (placeholder_type_specifier)
  declarator: (init_declarator
    declarator: (identifier) @local
    value: (call_expression function: (qualified_identifier name: (template_function
      name: (identifier) @_make
      arguments: (template_argument_list . (type_descriptor) @local.type)))))
  (#any-of? @_make "make_unique" "make_shared"))
(init_declarator
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)]
  value: (call_expression function: (template_function
    name: (identifier) @_cast
    arguments: (template_argument_list . (type_descriptor) @local.type)))
  (#match? @_cast "_cast$"))
(condition_clause value: (declaration
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)]
  value: (call_expression function: (template_function
    name: (identifier) @_cast
    arguments: (template_argument_list . (type_descriptor) @local.type))))
  (#match? @_cast "_cast$"))
(condition_clause value: (declaration
  type: (placeholder_type_specifier)
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)]
  value:
    [(call_expression function: [(identifier) (field_expression)] @local.call)
     (call_expression function: (qualified_identifier name: (identifier)) @local.call)]))
(condition_clause value: (declaration
  type: [(type_identifier) (qualified_identifier)] @local.type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)]))
(for_range_loop
  type: (_) @local.type
  declarator: [
    (identifier) @local
    (pointer_declarator declarator: (identifier) @local)
    (reference_declarator (identifier) @local)])
(for_range_loop
  type: (placeholder_type_specifier)
  declarator:
    [(identifier) @local
     (pointer_declarator declarator: (identifier) @local)
     (reference_declarator (identifier) @local)
     (structured_binding_declarator) @local.among
     (reference_declarator (structured_binding_declarator) @local.among)]
  right: (_) @local.items)
(field_declaration
  type: (_) @field.type
  declarator: (reference_declarator (field_identifier) @field))
(using_declaration (qualified_identifier name:
  [(identifier) @local
   (qualified_identifier name: (identifier) @local)
   (qualified_identifier name: (qualified_identifier name: (identifier) @local))]) @local.alias)
(namespace_alias_definition
  name: (namespace_identifier) @local
  [(namespace_identifier) (nested_namespace_specifier)] @local.alias)
(field_declaration type: (_) @returns default_value: (number_literal))
(function_declarator (trailing_return_type (type_descriptor) @returns))

; Modules, as cpp_rewrites.py writes them: `modulE` is that of a unit that implements a module.
((declaration type: (type_identifier) @_keyword declarator: (identifier)) @import.module
  (#any-of? @_keyword "import" "modulE"))
((declaration type: (type_identifier) @_keyword declarator: (identifier) @namespace)
  (#any-of? @_keyword "module" "modulE"))
(using_declaration "namespace") @import.module
