; On top of c.scm.
; A specialization has the name of its template.
(class_specifier
  name: [(type_identifier) @name (qualified_identifier) @name (template_type name: (_) @name)]
  body: (_)) @definition.class
(struct_specifier
  name: [(qualified_identifier) @name (template_type name: (_) @name)]
  body: (_)) @definition.struct
(function_definition
  declarator: (function_declarator
    declarator: (template_function name: (identifier) @name))) @definition.function
(function_definition
  declarator: (function_declarator
    declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)) @definition.function
(function_definition
  declarator: (_
    (function_declarator
      declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name)))) @definition.function
(function_definition declarator: [(operator_cast) (qualified_identifier)] @name) @definition.function
; `void f() {};`: with a semicolon, the grammar takes an empty body for a value.
(declaration
  declarator: (init_declarator
    declarator: (function_declarator
      declarator: [(identifier) (qualified_identifier) (operator_name)] @name)
    value: (initializer_list))) @definition.function
(field_declaration
  declarator: (function_declarator
    declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
  default_value: (initializer_list)) @definition.function
(field_declaration
  declarator: [
    (function_declarator declarator: (field_identifier) @name)
    (_ (function_declarator declarator: (field_identifier) @name))
    (_ (_ (function_declarator declarator: (field_identifier) @name)))]
  default_value: (number_literal)) @definition.method
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
((namespace_definition name: (_) @name) @namespace (#not-match? @namespace "^inline"))
(namespace_definition !name body: (declaration_list (function_definition) @private))
(namespace_definition !name body: (declaration_list
  (template_declaration (function_definition) @private)))
(template_declaration "template" @decorator)
