(formal_parameters [(identifier) @local
  (assignment_pattern left: (identifier) @local)]) @local.parameters
(formal_parameters (assignment_pattern right: [(identifier) (member_expression)] @default))
(class_heritage [(identifier) (member_expression)] @base)
(field_definition
  property: [(property_identifier) (private_property_identifier)] @field
  value: [(new_expression constructor: (_) @field.new)
          (call_expression function: (_) @field.call)
          (identifier) @field.alias
          (member_expression) @field.alias]?)

(call_expression
  function: (member_expression object: (_) @local.items property: (property_identifier) @_each)
  arguments: (arguments . [
    (arrow_function parameter: (identifier) @local)
    (arrow_function parameters: (formal_parameters . [
      (identifier) @local
      (object_pattern (shorthand_property_identifier_pattern) @local @local.part)]))])
  (#match? @_each "^(every|filter|find|findIndex|findLast|flatMap|forEach|map|some)$"))
