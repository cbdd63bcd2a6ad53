; Uses.
(call receiver: (_)? @receiver method: [(identifier) (constant) (super)] @call)
(super) @call
; A bare name that is no variable is a call.
[(program (identifier) @call)
 (body_statement (identifier) @call)
 (method body: (identifier) @call)
 (singleton_method body: (identifier) @call)
 (begin (identifier) @call)
 (begin_block (identifier) @call)
 (end_block (identifier) @call)
 (block_body (identifier) @call)
 (do (identifier) @call)
 (then (identifier) @call)
 (else (identifier) @call)
 (ensure (identifier) @call)
 (parenthesized_statements (identifier) @call)
 (if condition: (identifier) @call)
 (elsif condition: (identifier) @call)
 (unless condition: (identifier) @call)
 (while condition: (identifier) @call)
 (until condition: (identifier) @call)
 (if_guard condition: (identifier) @call)
 (unless_guard condition: (identifier) @call)
 (if_modifier (identifier) @call)
 (unless_modifier (identifier) @call)
 (while_modifier (identifier) @call)
 (until_modifier (identifier) @call)
 (rescue_modifier (identifier) @call)
 (conditional (identifier) @call)
 (case value: (identifier) @call)
 (case_match value: (identifier) @call)
 (when pattern: (pattern (identifier) @call))
 (match_pattern value: (identifier) @call)
 (test_pattern value: (identifier) @call)
 (for value: (in (identifier) @call))
 (argument_list (identifier) @call)
 (splat_argument (identifier) @call)
 (hash_splat_argument (identifier) @call)
 (block_argument (identifier) @call)
 (optional_parameter value: (identifier) @call)
 (keyword_parameter value: (identifier) @call)
 (call receiver: (identifier) @call)
 (element_reference (identifier) @call)
 (scope_resolution scope: (identifier) @call)
 (singleton_class value: (identifier) @call)
 (assignment right: (identifier) @call)
 (operator_assignment right: (identifier) @call)
 (right_assignment_list (identifier) @call)
 (array (identifier) @call)
 (pair key: (identifier) @call)
 (pair value: (identifier) @call)
 (pair key: (hash_key_symbol) @call !value)
 (binary (identifier) @call)
 (unary (identifier) @call)
 (range (identifier) @call)
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
; What includes a module has the methods of its ClassMethods too.
((module name: (constant) @infix body: (body_statement (module name: (constant) @base)))
  (#eq? @base "ClassMethods"))
; Methods that are named by a symbol.
((call
    !receiver
    method: (identifier) @_hook
    arguments: (argument_list (simple_symbol) @value @passed))
  (#match? @_hook "^(((skip|prepend|append)_)?(before|after|around)_.*|validate|helper_method)$"))
((call
    !receiver
    arguments: (argument_list
      (pair key: (hash_key_symbol) @_condition value: (simple_symbol) @value @passed)))
  (#any-of? @_condition "if" "unless"))
((call
    !receiver
    method: (identifier) @_method
    arguments: (argument_list
      (pair key: (hash_key_symbol) @_key value: (simple_symbol) @value @passed)))
  (#match? @_method "^(delegate|rescue_from)$")
  (#any-of? @_key "to" "with"))
((call
    !receiver
    method: (identifier) @_alias
    arguments: (argument_list . (_) . (simple_symbol) @value @passed .))
  (#eq? @_alias "alias_method"))
([(call !receiver method: (identifier) @_send arguments: (argument_list . (simple_symbol) @value @passed))
  (call receiver: (self) method: (identifier) @_send arguments: (argument_list . (simple_symbol) @value @passed))]
  (#any-of? @_send "send" "public_send" "__send__" "method"))

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
(destructured_left_assignment (identifier) @local)
(rest_assignment (identifier) @local)
[(in_clause pattern: (identifier) @local)
 (match_pattern pattern: (identifier) @local)
 (test_pattern pattern: (identifier) @local)
 (array_pattern (identifier) @local)
 (find_pattern (identifier) @local)
 (alternative_pattern (identifier) @local)
 (parenthesized_pattern (identifier) @local)
 (as_pattern name: (identifier) @local)
 (keyword_pattern value: (identifier) @local)
 (keyword_pattern key: (hash_key_symbol) @local !value)
 (splat_parameter name: (identifier) @local)
 (hash_splat_parameter name: (identifier) @local)]
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
  (singleton_method body: (body_statement (_ !receiver method: (identifier) @returns.call) .))
  (method body: (call !receiver method: (identifier) @returns.call))
  (singleton_method body: (call !receiver method: (identifier) @returns.call))]
  (#eq? @returns.call "new"))
[(method body: (body_statement
   [(_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call)
    (operator_assignment right:
      (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))] .))
 (singleton_method body: (body_statement
   [(_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call)
    (operator_assignment right:
      (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))] .))]
[(method body: (call receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))
 (singleton_method body:
   (call receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call))]
(return (argument_list .
  (_ receiver: [(constant) (scope_resolution)] @receiver method: (_) @returns.call) .))
; What `attr_reader :store` gives is the field.
((call
    !receiver
    method: (identifier) @_attribute
    arguments: (argument_list (simple_symbol) @returns.alias))
  (#any-of? @_attribute "attr" "attr_reader" "attr_accessor"))

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
