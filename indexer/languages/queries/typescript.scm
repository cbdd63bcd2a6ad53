(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_body [
  name: (property_identifier) @name @definition.constant
  name: (string) @name @definition.constant
  (enum_assignment name: [(property_identifier) (string)] @name) @definition.constant])
(type_alias_declaration name: (_) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (identifier) @name) @definition.module
(function_signature name: (identifier) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(interface_body (method_signature name: (_) @name) @definition.method)
(interface_body (property_signature
  name: (property_identifier) @name type: (type_annotation (function_type))) @definition.method)
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)] @body.of) @definition.method
; An object that a field holds, and its functions: those with `=>` have the `this` of the class.
(public_field_definition
  name: (_) @name
  value: (object [
    (method_definition)
    (pair value: [(arrow_function) (function_expression)])])) @definition.property
(public_field_definition value: (object [
  (pair key: (property_identifier) @name value: (arrow_function) @body.of) @definition.function @member
  (pair
    key: (property_identifier) @name
    value: (function_expression) @body.of) @definition.method @member]))
(_ (accessibility_modifier ["private" "protected"])) @private

; Functions in an object that a name at the top of the file, or an export, holds with a type.
(program (lexical_declaration kind: "const" (variable_declarator value: [
  (as_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))
  (satisfies_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))])))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator value: [
  (as_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))
  (satisfies_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))])))
(export_statement "default" value: [
  (as_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))
  (satisfies_expression (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))]))])
(export_statement
  "default" @name
  value: [(as_expression (object)) (satisfies_expression (object))] @definition.constant @exported)
