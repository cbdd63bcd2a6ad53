(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)] @body.of) @definition.method
; An object that a field holds, and its functions: those with `=>` have the `this` of the class.
(field_definition
  property: (_) @name
  value: (object [
    (method_definition)
    (pair value: [(arrow_function) (function_expression)])])) @definition.property
(field_definition value: (object [
  (pair key: (property_identifier) @name value: (arrow_function) @body.of) @definition.function @member
  (pair
    key: (property_identifier) @name
    value: (function_expression) @body.of) @definition.method @member]))
(field_definition property: (private_property_identifier)) @private
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @exported.name
          (object (shorthand_property_identifier) @exported.name)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
