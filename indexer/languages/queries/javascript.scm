(field_definition
  property: (_) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @definition.method
(field_definition property: (private_property_identifier)) @private
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @exported.name
          (object (shorthand_property_identifier) @exported.name)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
