; Calls. The head of a definition looks like a call that is an argument, and that of a guarded one
; like the left side of an operator, so calls are captured by what is around them. Named by their
; tokens, blocks and operators take less time to compile.
([
  (_ ["do" "after" "catch" "else" "rescue"] (call target: [(identifier) (dot right: (identifier))] @call))
  (block (call target: [(identifier) (dot right: (identifier))] @call))
  (body (call target: [(identifier) (dot right: (identifier))] @call))
  (source (call target: [(identifier) (dot right: (identifier))] @call))
  (pair value: (call target: [(identifier) (dot right: (identifier))] @call))
  (list (call target: [(identifier) (dot right: (identifier))] @call))
  (tuple (call target: [(identifier) (dot right: (identifier))] @call))
  (bitstring (call target: [(identifier) (dot right: (identifier))] @call))
  (interpolation (call target: [(identifier) (dot right: (identifier))] @call))
  (access_call (call target: [(identifier) (dot right: (identifier))] @call))
  (dot left: (call target: [(identifier) (dot right: (identifier))] @call))
  (binary_operator right: (call target: [(identifier) (dot right: (identifier))] @call))
  (unary_operator
    operator: ["!" "not" "-" "+" "&" "^"]
    operand: (call target: [(identifier) (dot right: (identifier))] @call))
])
(_
  left: (call target: [(identifier) (dot right: (identifier))] @call)
  operator: ["|>" "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "++" "--" "<>" "|" "||" "&&"
             "and" "or" "in" "not in" "=~" "=>" ".." "<-" "="])
((call target: (identifier) @_cond (do_block (stab_clause left: (arguments
    (call target: [(identifier) (dot right: (identifier))] @call)))))
  (#eq? @_cond "cond"))
((call
  target: (_) @_outer
  (arguments (call target: [(identifier) (dot right: (identifier))] @call)))
  (#not-match? @_outer "^(def|defp|defmacro|defmacrop|defguard|defguardp|defdelegate|spec|callback)$"))
(unary_operator
  operator: "&"
  operand: (binary_operator
    left: [(identifier) @value (call target: (dot left: (alias) right: (identifier)) @value)]
    operator: "/"))

(struct [(alias) (identifier)] @new)
((call target: (_) @_outer (arguments (alias) @value))
  (#not-match? @_outer "^(alias|require|import|use|behaviour|defmodule|defprotocol|defimpl)$"))
(list [(alias) @value (tuple . (alias) @value)])
((pair key: (keyword) @_key value: (alias) @value)
  (#not-match? @_key "^(as|for):"))
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind (arguments . (alias) @base))
  (#eq? @_kind "behaviour"))
(call
  target: (identifier) @_kind
  (arguments . (alias) @base)
  (do_block)
  (#eq? @_kind "defimpl"))

(anonymous_function) @scope.function
(stab_clause) @scope

; Imports.
(call
  target: (identifier) @_kind
  (arguments . (alias) @import.module .)
  (#any-of? @_kind "alias" "require"))
(call
  target: (identifier) @_kind
  (arguments .
    (alias) @import.module
    (keywords (pair key: (keyword) @_as value: (alias) @import.alias)))
  (#any-of? @_kind "alias" "require")
  (#match? @_as "^as:"))
(call
  target: (identifier) @_kind
  (arguments . (dot left: (alias) @import.module right: (tuple (alias) @import.name)))
  (#any-of? @_kind "alias" "require" "import" "use"))
(call
  target: (identifier) @import.wildcard
  (arguments . (alias) @import.module)
  (#any-of? @import.wildcard "import" "use"))
; A lower-case name before a dot is a variable, which holds any module.
(call target: (dot left: (identifier) @local))
