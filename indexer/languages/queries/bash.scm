(function_definition name: (word) @name) @definition.function
(declaration_command
  ["readonly" "export"]
  (variable_assignment name: (variable_name) @name)) @definition.constant
(comment) @comment
