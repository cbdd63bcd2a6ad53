; Uses.
(call receiver: (_)? @receiver method: [(identifier) (constant) (super)] @call)
(super) @call
; A bare name that is no variable is a call.
[(program (identifier) @call)
 (body_statement (identifier) @call)
 (block_body (identifier) @call)
 (then (identifier) @call)
 (else (identifier) @call)
 (return (argument_list (identifier) @call))
 (argument_list (identifier) @call)
 (call receiver: (identifier) @call)
 (assignment right: (identifier) @call)
 (pair value: (identifier) @call)
 (binary (identifier) @call)
 (interpolation (identifier) @call)]
(class superclass: (superclass [(constant) (scope_resolution)] @base))
(call
  !receiver
  method: (identifier) @_into
  arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_into "include" "extend" "prepend"))
(call
  !receiver
  method: (identifier) @_raise
  arguments: (argument_list . [(constant) (scope_resolution)] @new)
  (#eq? @_raise "raise"))
(argument_list
  [(constant) @value
   (scope_resolution) @value
   (pair value: [(constant) (scope_resolution)] @value)])
(array [(constant) (scope_resolution)] @value)
(exceptions [(constant) (scope_resolution)] @value)

; Scopes beside methods, classes and modules.
[(block) (do_block) (lambda)] @scope.function

; Names and what they hold.
(method_parameters
  [(identifier) @local
   (_ name: (identifier) @local)
   (destructured_parameter (identifier) @local)])
(block_parameters
  [(identifier) @local
   (_ name: (identifier) @local)
   (destructured_parameter (identifier) @local)])
(lambda_parameters [(identifier) @local (_ name: (identifier) @local)])
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(rescue
  exceptions: (exceptions . [(constant) (scope_resolution)] @local.type .)
  variable: (exception_variable (identifier) @local))
(for pattern: (identifier) @local)
(assignment
  left:
    [(identifier) @local
     (constant) @local
     (instance_variable) @field
     (class_variable) @field])
([(assignment
    left: [(identifier) (constant)] @local
    right:
      [(_ receiver: (_) @receiver method: (_) @local.call)
       (_ !receiver method: (_) @local.call)
       (constant) @local.alias
       (scope_resolution) @local.alias
       (instance_variable) @local.alias
       (identifier) @local.call])
  (operator_assignment
    left: (identifier) @local
    right:
      [(_ receiver: (_) @receiver method: (_) @local.call)
       (_ !receiver method: (_) @local.call)])])
([(assignment
    left: [(instance_variable) (class_variable)] @field
    right:
      [(_ receiver: (_) @receiver method: (_) @field.call)
       (_ !receiver method: (_) @field.call)
       (constant) @field.alias
       (scope_resolution) @field.alias
       (identifier) @field.alias])
  (operator_assignment
    left: [(instance_variable) (class_variable)] @field
    right:
      [(_ receiver: (_) @receiver method: (_) @field.call)
       (_ !receiver method: (_) @field.call)])])
(operator_assignment left: [(identifier) @local (instance_variable) @field])
([(method body: (body_statement (_ !receiver method: (identifier) @returns.call) .))
  (singleton_method body: (body_statement (_ !receiver method: (identifier) @returns.call) .))]
  (#eq? @returns.call "new"))
[(method body: (body_statement
   [(_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call)
    (operator_assignment right:
      (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))] .))
 (singleton_method body: (body_statement
   [(_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call)
    (operator_assignment right:
      (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))] .))]
(return (argument_list .
  (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call) .))

; Imports; what a file requires, it gives on.
(call
  !receiver
  method: (identifier) @_require
  arguments: (argument_list (string (string_content) @import.module) .)
  (#any-of? @_require "require" "autoload" "load"))
(call
  !receiver
  method: (identifier) @import.relative
  arguments: (argument_list (string (string_content) @import.module))
  (#eq? @import.relative "require_relative"))
