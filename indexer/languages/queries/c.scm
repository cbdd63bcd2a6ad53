(function_definition declarator: (function_declarator declarator: (identifier) @name)) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))) @definition.function
; What returns a pointer to a function or to an array: `int (*f(void))[2] {`.
(function_definition
  declarator: (_
    declarator: (parenthesized_declarator
      (pointer_declarator
        declarator: (function_declarator declarator: (identifier) @name))))) @definition.function
(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.struct
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(type_definition
  type: [(struct_specifier !name) (union_specifier !name)]
  declarator: (type_identifier) @name) @definition.struct
(type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
(enumerator name: (identifier) @name) @definition.constant
(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(preproc_def name: (identifier) @name value: (_)) @definition.constant
(preproc_function_def name: (identifier) @name value: (_)) @definition.macro

(function_definition (storage_class_specifier "static")) @private
(comment) @comment
