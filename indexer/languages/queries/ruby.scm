(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#any-of? @_define "define_method" "define_singleton_method")
  (#not-match? @name "#\\{")) @definition.method
; Methods that a call makes of symbols.
((call
    !receiver
    method: (identifier) @_define
    arguments: (argument_list (simple_symbol) @name @definition.method))
  (#any-of? @_define "attr" "attr_reader" "attr_accessor" "delegate"))
((call
    !receiver
    method: (identifier) @_define
    arguments: (argument_list . (_) (simple_symbol) @name @definition.method))
  (#eq? @_define "def_delegators"))
((call
    !receiver
    method: (identifier) @_define
    arguments: (argument_list . (_) . (_)? . (simple_symbol) @name @definition.method .))
  (#eq? @_define "def_delegator"))
((call
    !receiver
    method: (identifier) @_define
    arguments: (argument_list . (simple_symbol) @name @definition.method))
  (#eq? @_define "alias_method"))
(alias name: [(identifier) (simple_symbol)] @name @definition.method)
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(assignment left: (constant) @name) @definition.constant
(comment) @comment
