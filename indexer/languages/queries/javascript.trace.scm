(formal_parameters (identifier) @local)
(class_heritage [(identifier) (member_expression)] @base)
(field_definition
  property: [(property_identifier) (private_property_identifier)] @field
  value: [(new_expression constructor: (_) @field.new)
          (call_expression function: (_) @field.call)
          (identifier) @field.alias
          (member_expression) @field.alias]?)
