; What JavaScript, TypeScript and TSX have in common. `@body.of` is what has the body of a definition: a node
; type with children takes a millisecond to compile, each time that it is written.
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(class_body (method_definition name: (_) @name) @definition.method)
(pair
  key: (property_identifier) @container
  value: (object (method_definition name: (_) @name) @definition.method @member))
(variable_declaration (variable_declarator
  name: (identifier) @container
  value: (object [
    (method_definition name: (_) @name) @definition.method @member
    (pair
      key: [(property_identifier) (string)] @name
      value: [(arrow_function) (function_expression) (generator_function)] @body.of)
      @definition.method @member])))
(assignment_expression
  left: (member_expression
    object: (identifier) @container property: (property_identifier) @_prototype)
  right: (object [
    (method_definition name: (_) @name) @definition.method @member
    (pair
      key: [(property_identifier) (string)] @name
      value: [(arrow_function) (function_expression)] @body.of)
      @definition.method @member])
  (#eq? @_prototype "prototype"))
(object (method_definition name: (_) @name) @definition.method @member)
; Functions in an object that a function returns.
(return_statement (object [
  (pair key: (property_identifier) @name value: (arrow_function) @body.of) @definition.function @member
  (pair
    key: (property_identifier) @name
    value: (function_expression) @body.of) @definition.method @member]))
(arrow_function body: (parenthesized_expression (object [
  (pair key: (property_identifier) @name value: (arrow_function) @body.of) @definition.function @member
  (pair
    key: (property_identifier) @name
    value: (function_expression) @body.of) @definition.method @member])))
(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) @body.of
          (function_expression) @body.of
          (generator_function) @body.of
          (parenthesized_expression [(arrow_function) (function_expression)] @body.of)])
  @definition.function
(variable_declarator name: (identifier) @name value: (class) @body.of) @definition.class
; What is assigned: `app.use = function () {}`, `App.prototype.use = …`, `module.exports = …`.
(assignment_expression
  left: (member_expression
    object: [(identifier) @container
             (member_expression
               object: (identifier) @container property: (property_identifier) @_prototype)]
    property: (property_identifier) @name)
  right: (function_expression) @body.of
  (#eq? @_prototype "prototype")
  (#not-match? @container "^(module|exports|window|globalThis|self|global)$"))
  @definition.function @member
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @container property: (property_identifier) @name)
  right: (arrow_function) @body.of
  (#not-match? @container "^(module|exports|window|globalThis|self|global)$"))
  @definition.function @member))
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: (function_expression name: (_) @name) @body.of
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.function @member
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: (class name: (_) @name) @body.of
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.class @member
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @name)
  right: (class) @body.of
  (#eq? @_module "module") (#eq? @name "exports")) @definition.class @member
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)] @body.of)
  @definition.function @member

(export_statement
  "default" @name
  value: [(arrow_function) (function_expression) (generator_function)] @definition.function @exported)
(export_statement "default" @name value: (class) @definition.class @exported)
(export_statement "default" @name value: (object) @definition.constant @exported)
; Functions in an object that a name at the top of the file, or an export, holds.
(program (lexical_declaration kind: "const" (variable_declarator value: (object [
    (pair
      key: (property_identifier) @name
      value: [(arrow_function) (function_expression)] @body.of)
      @definition.method @member
    (pair
      key: (property_identifier) @container
      value: (object (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member))]))))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator value: (object [
    (pair
      key: (property_identifier) @name
      value: [(arrow_function) (function_expression)] @body.of)
      @definition.method @member
    (pair
      key: (property_identifier) @container
      value: (object (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.method @member))]))))
(export_statement "default" value: (object [
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
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: (object [
      (pair
        key: (property_identifier) @name
        value: [(arrow_function) (function_expression)] @body.of)
        @definition.function @member @exported
      (pair
        key: (property_identifier) @container
        value: (object (pair
          key: (property_identifier) @name
          value: [(arrow_function) (function_expression)] @body.of)
          @definition.method @member))])
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: [(identifier) @container (member_expression property: (property_identifier) @container)]
  right: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(arrow_function) (function_expression)] @body.of)
    @definition.method @member))
(return_statement (object (pair
  key: [(property_identifier) (string)] @name
  value: [(arrow_function) (function_expression)] @body.of)
  @definition.method @member))
; Objects in an object, and what a call at the top is given: `app.component({ open: function () {} })`.
(program (variable_declaration (variable_declarator name: (identifier) @container value: (object (pair
  key: [(property_identifier) @container (string (string_fragment) @container)]
  value: (object (pair
    key: [(property_identifier) (string)] @name
    value: [(function_expression) (generator_function)] @body.of)
    @definition.method @member))))))
(program (expression_statement (call_expression arguments: (arguments (object (pair
  key: [(property_identifier) (string)] @name
  value: [(function_expression) (generator_function)] @body.of)
  @definition.method @member)))))
(program (expression_statement (assignment_expression
  left: (identifier) @name
  right: [(arrow_function) (function_expression)] @body.of)
  @definition.function))
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @definition.constant)

(export_statement declaration: (_) @exported)
(export_statement declaration: (lexical_declaration (variable_declarator) @exported))
(export_statement declaration: (variable_declaration (variable_declarator) @exported))
(export_statement value: (identifier) @exported.name)
(export_specifier name: (identifier) @exported.name)
(assignment_expression left: (member_expression object: (identifier) @_root)
  (#eq? @_root "exports")) @exported
(assignment_expression
  left: (member_expression object: (member_expression object: (identifier) @_root))
  (#eq? @_root "module")) @exported
(method_definition name: (private_property_identifier)) @private
(decorator) @decorator
(comment) @comment
