; Uses.
(function_call name: (_) @call)
(arguments [(identifier) @value (dot_index_expression) @value @passed])
(field value: [(identifier) (dot_index_expression)] @value)

; A table whose metatable looks names up in another one inherits from that.
(chunk (variable_declaration
  (assignment_statement
    (expression_list .
      value: (function_call
        name: (identifier) @_set
        arguments: (arguments
          (_) .
          (table_constructor
            (field
              name: (identifier) @_index
              value: [(identifier) (dot_index_expression)] @base)))))))
  (#eq? @_set "setmetatable")
  (#eq? @_index "__index"))
(chunk (variable_declaration
  (assignment_statement
    (expression_list .
      value: (function_call
        name: [(method_index_expression table: [(identifier) (dot_index_expression)] @base method: (_) @_extend)
               (dot_index_expression table: [(identifier) (dot_index_expression)] @base field: (_) @_extend)]))))
  (#any-of? @_extend "extend" "subclass"))
(chunk (variable_declaration
  (assignment_statement
    (expression_list .
      value: (function_call
        name: (identifier) @_class
        arguments: (arguments (string) . [(identifier) (dot_index_expression)] @base)))))
  (#eq? @_class "class"))

(function_definition) @scope.function
(do_statement) @scope
(while_statement) @scope
(repeat_statement) @scope
(for_statement) @scope
(if_statement) @scope
(elseif_statement) @scope
(else_statement) @scope

; Names and their values.
(variable_declaration (variable_list name: (identifier) @local))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(assignment_statement
  (variable_list . name: (identifier) @local)
  (expression_list . value: [(identifier) (dot_index_expression table: [(identifier) (dot_index_expression)])] @local.alias))
(assignment_statement
  (variable_list . name: (identifier) @local)
  (expression_list . value: (function_call name: (_) @local.call))
  (#not-match? @local.call "^(setmetatable|require|class)$"))
(assignment_statement
  (variable_list . name: (identifier) @local)
  (expression_list .
    value: (function_call name: (identifier) @_set arguments: (arguments (_) . (identifier) @local.new)))
  (#eq? @_set "setmetatable"))
(chunk (assignment_statement (variable_list name: (identifier) @local @local.again)))
(block (assignment_statement (variable_list name: (identifier) @local @local.again)))
(parameters name: (identifier) @local)
(for_numeric_clause name: (identifier) @local)
(for_generic_clause (variable_list name: (identifier) @local))
(assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @self field: (identifier) @field))
  (expression_list . value: [(identifier) (dot_index_expression table: [(identifier) (dot_index_expression)])] @field.alias))
(assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @self field: (identifier) @field))
  (expression_list . value: (function_call name: (_) @field.call)))
(return_statement
  (expression_list . (function_call name: (_) @returns.call) .)
  (#not-eq? @returns.call "setmetatable"))
(return_statement
  (expression_list .
    (function_call name: (identifier) @_set arguments: (arguments (_) . (identifier) @returns.new)))
  (#eq? @_set "setmetatable"))
(block (return_statement (expression_list . [
  (table_constructor
    (field name: (identifier) @returns.part value: [
      (identifier) @returns.alias
      (function_call name: (_) @returns.call)]))
  (table_constructor
    (field name: (identifier) @returns.part value: (function_definition))) @returns.object])))
; A constructor that names its object before it returns it.
(variable_declaration
  (assignment_statement
    (variable_list . name: (identifier) @_self)
    (expression_list .
      value: (function_call name: (identifier) @_set arguments: (arguments (_) . (identifier) @returns.new))))
  (#eq? @_self "self")
  (#eq? @_set "setmetatable"))

; Imports, and what the file returns.
(assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list .
    value: (function_call
      name: (identifier) @_require
      arguments: (arguments . (string content: (_) @import.module) .)))
  (#eq? @_require "require"))
(assignment_statement
  (variable_list . name: (identifier) @import.alias)
  (expression_list .
    value: (dot_index_expression
      table: (function_call
        name: (identifier) @_require
        arguments: (arguments . (string content: (_) @import.module) .))
      field: (identifier) @import.name))
  (#eq? @_require "require"))
(function_call
  name: (_ table: (function_call
    name: (identifier) @_require
    arguments: (arguments . (string content: (_) @import.module) .)))
  (#eq? @_require "require"))
([
  (chunk (function_call
    name: (identifier) @import.wildcard
    arguments: (arguments . (string content: (_) @import.module) .)))
  (block (function_call
    name: (identifier) @import.wildcard
    arguments: (arguments . (string content: (_) @import.module) .)))
]
  (#eq? @import.wildcard "require"))
(chunk (return_statement (expression_list . [(identifier) (dot_index_expression)] @export.whole .)))
(chunk (return_statement
  (expression_list .
    (table_constructor
      (field name: (identifier) @export.name value: [(identifier) (dot_index_expression)] @export.of)))))
