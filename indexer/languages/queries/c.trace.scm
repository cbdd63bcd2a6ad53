; Uses.
(call_expression function: [(identifier) (field_expression)] @call)
(argument_list
  [(identifier) @value
   (pointer_expression operator: "&" argument: (identifier) @value)])
(assignment_expression right:
  [(identifier) @value
   (pointer_expression operator: "&" argument: (identifier) @value)])
(return_statement (identifier) @value)
(initializer_list (identifier) @value)
(initializer_pair value:
  [(identifier) @value
   (pointer_expression operator: "&" argument: (identifier) @value)])

; Functions that are declared here and defined elsewhere.
(declaration declarator:
  [(function_declarator declarator: (identifier) @declares)
   (pointer_declarator declarator: (function_declarator declarator: (identifier) @declares))
   (pointer_declarator declarator: (pointer_declarator
     declarator: (function_declarator declarator: (identifier) @declares)))])

; The parameters of what has no body are nobody's names.
(declaration declarator:
  [(function_declarator parameters: (_) @scope)
   (pointer_declarator declarator: (function_declarator parameters: (_) @scope))])
(function_declarator declarator: (parenthesized_declarator) parameters: (_) @scope)

; Names and what they hold.
(parameter_declaration
  type: (_) @local.type
  declarator:
    [(identifier) @local
     (pointer_declarator declarator: (identifier) @local)
     (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @local))
     (array_declarator declarator: (identifier) @local)])
(declaration
  type: (_) @local.type
  declarator:
    [(identifier) @local
     (pointer_declarator declarator: (identifier) @local)
     (array_declarator declarator: (identifier) @local)
     (init_declarator declarator:
       [(identifier) @local
        (pointer_declarator declarator: (identifier) @local)
        (array_declarator declarator: (identifier) @local)])])
(parameter_declaration declarator: (function_declarator declarator: (parenthesized_declarator
  (pointer_declarator declarator: (identifier) @local))))
(declaration declarator:
  [(function_declarator declarator: (parenthesized_declarator
     (pointer_declarator declarator: (identifier) @local)))
   (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator
     (pointer_declarator declarator: (identifier) @local))))])
(field_declaration
  type: (_) @field.type
  declarator:
    [(field_identifier) @field
     (pointer_declarator declarator: (field_identifier) @field)
     (array_declarator declarator: (field_identifier) @field)])
(function_definition type: (_) @returns (#not-eq? @returns "auto"))

; Imports.
(preproc_include path:
  [(string_literal (string_content) @import.module)
   (system_lib_string) @import.module])
