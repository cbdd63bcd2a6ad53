(program (method name: (_) @name) @definition.function)
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(call
  !receiver
  method: (identifier) @_define
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#any-of? @_define "define_method" "define_singleton_method")
  (#not-match? @name "#\\{")) @definition.method
(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(assignment left: (constant) @name) @definition.constant
(comment) @comment
