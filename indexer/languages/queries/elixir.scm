(call
  target: (identifier) @_kind
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_kind "defmodule")) @definition.module
(call
  target: (identifier) @_kind
  (arguments . (alias) @name)
  (do_block) @body
  (#eq? @_kind "defprotocol")) @definition.interface
; The implementation of a protocol is a module: `Size` for `Acme.Box` is `Size.Acme.Box`.
(call
  target: (identifier) @_kind
  (arguments .
    (alias) @container
    (keywords (pair key: (keyword) @_for value: (alias) @name)))
  (do_block) @body
  (#eq? @_kind "defimpl")
  (#match? @_for "^for:")) @definition.module

(call
  target: (identifier) @_kind
  (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: [(call target: (identifier) @name) (identifier) @name] operator: "when")
  ])
  (do_block)? @body
  (#any-of? @_kind
    "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @definition.function
; Operators: `def a <|> b do`.
(call
  target: (identifier) @_kind
  (arguments . [
    (binary_operator operator: _ @name)
    (unary_operator operator: _ @name)
    (binary_operator
      left: [(binary_operator operator: _ @name) (unary_operator operator: _ @name)]
      operator: "when")
  ])
  (do_block)? @body
  (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")
  (#not-eq? @name "when")) @definition.function
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments . (binary_operator left: (call target: (identifier) @name) operator: "::")))
  (#any-of? @_kind "callback" "macrocallback")) @definition.function
(unary_operator
  operator: "@"
  operand: (call
    target: (identifier) @_kind
    (arguments .
      (binary_operator
        left: [(identifier) @name (call target: (identifier) @name)]
        operator: "::")))
  (#any-of? @_kind "type" "typep" "opaque")) @definition.type
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @name (arguments))
  (#not-match? @name "^(after_compile|after_verify|before_compile|behaviour|callback|compile|deprecated|derive|dialyzer|doc|enforce_keys|external_resource|file|impl|macrocallback|moduledoc|moduletag|nifs|on_definition|on_load|opaque|optional_callbacks|describetag|spec|tag|type|typedoc|typep)$")) @definition.constant

(call
  target: (identifier) @_kind
  (#any-of? @_kind "defp" "defmacrop" "defguardp")) @private
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind)
  (#eq? @_kind "typep")) @private

(comment) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind)
  (#any-of? @_kind "doc" "typedoc")) @comment
(unary_operator
  operator: "@"
  operand: (call target: (identifier) @_kind)
  (#any-of? @_kind "deprecated" "dialyzer" "impl" "spec" "tag")) @decorator
