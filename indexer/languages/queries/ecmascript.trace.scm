; Uses.
(call_expression function: (_) @call)
(call_expression function: (parenthesized_expression [(identifier) (member_expression)] @call))
(new_expression constructor: (_) @new)
(decorator [(identifier) @decorate
            (member_expression) @decorate
            (call_expression function: (_) @decorate)])
(arguments [(identifier) @value (member_expression) @value @passed])
(array [(identifier) (member_expression)] @value)
(object [(shorthand_property_identifier) @value
         (pair value: [(identifier) (member_expression)] @value)])

(arrow_function) @scope.function
(function_expression) @scope.function
(generator_function) @scope.function

; Names and what they hold.
(variable_declarator
  name: (identifier) @local
  value: [(new_expression constructor: (_) @local.new)
          (call_expression function: (_) @local.call)
          (await_expression (call_expression function: (_) @local.call))
          (identifier) @local.alias
          (member_expression) @local.alias
          (subscript_expression) @local.alias
          (array) @local.literal
          (object) @local.literal]?)
(variable_declarator
  name: [(object_pattern
           [(shorthand_property_identifier_pattern) @local @local.part
            (pair_pattern key: (property_identifier) @local.part value: (identifier) @local)
            (object_assignment_pattern
              left: (shorthand_property_identifier_pattern) @local @local.part)])
         (array_pattern) @local.among]
  value: [(call_expression function: (_) @local.call)
          (await_expression (call_expression function: (_) @local.call))
          (identifier) @local.alias
          (member_expression) @local.alias
          (this) @local.alias
          (array) @local.alias])
; One of two values, of which the first says what it is: `a || b`, `a ?? b`, `c && a`, `c ? a : null`.
(variable_declarator
  name: (identifier) @local
  value: [
    (binary_expression
      left: [(new_expression constructor: (_) @local.new)
             (call_expression function: (_) @local.call)
             (identifier) @local.alias
             (member_expression) @local.alias]
      operator: ["||" "??"])
    (binary_expression
      operator: "&&"
      right: [(new_expression constructor: (_) @local.new)
              (call_expression function: (_) @local.call)
              (identifier) @local.alias
              (member_expression) @local.alias])
    (ternary_expression
      consequence: [(new_expression constructor: (_) @local.new)
                    (call_expression function: (_) @local.call)
                    (identifier) @local.alias
                    (member_expression) @local.alias]
      alternative: [(null) (undefined)])
    (ternary_expression
      consequence: [(null) (undefined)]
      alternative: [(new_expression constructor: (_) @local.new)
                    (call_expression function: (_) @local.call)
                    (identifier) @local.alias
                    (member_expression) @local.alias])
    (assignment_expression
      right: [(new_expression constructor: (_) @local.new)
              (call_expression function: (_) @local.call)])])
(export_statement "default" @local value: (call_expression function: (_) @local.call))
(assignment_expression
  left: (identifier) @local @local.again
  right: [(new_expression constructor: (_) @local.new)
          (call_expression function: (_) @local.call)
          (await_expression (call_expression function: (_) @local.call))
          (identifier) @local.alias
          (member_expression) @local.alias]?)
(assignment_expression
  left: (member_expression
    object: (this) @self
    property: [(property_identifier) (private_property_identifier)] @field)
  right: [(new_expression constructor: (_) @field.new)
          (call_expression function: (_) @field.call)
          (await_expression (call_expression function: (_) @field.call))
          (identifier) @field.alias
          (member_expression) @field.alias]?)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(rest_pattern (identifier) @local)
(array_pattern (identifier) @local) @local.among
(assignment_pattern left: (identifier) @local)
(arrow_function parameter: (identifier) @local @local.parameters)
(for_in_statement left: (identifier) @local)
(for_in_statement
  left: [(identifier) @local
         (array_pattern) @local.among
         (object_pattern
           [(shorthand_property_identifier_pattern) @local @local.part
            (pair_pattern key: (property_identifier) @local.part value: (identifier) @local)])]
  operator: "of"
  right: (_) @local.items)
(if_statement
  condition: (parenthesized_expression [
    (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type)
    (binary_expression left: (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type) operator: "&&")
    (binary_expression operator: "&&" right: (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type))])
  consequence: (_) @local.within)
(statement_block
  (if_statement
    condition: (parenthesized_expression [
      (unary_expression operator: "!" argument: (parenthesized_expression
        (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type)))
      (binary_expression left: (unary_expression operator: "!" argument: (parenthesized_expression
        (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type))) operator: "||")])
    consequence: [
      (return_statement)
      (throw_statement)
      (continue_statement)
      (break_statement)
      (statement_block
        [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)]
    !alternative) @local.after) @local.within
(binary_expression
  left: (binary_expression
        left: [(identifier) @local (member_expression) @narrowed]
        operator: "instanceof"
        right: (_) @local.type @narrowed.type)
  operator: "&&"
  right: (_) @local.within)
(variable_declarator
  name: (identifier) @field.of
  value: (object [
    (shorthand_property_identifier) @field @field.alias
    (pair key: (property_identifier) @field value: [
      (identifier) @field.alias
      (member_expression) @field.alias
      (new_expression constructor: (_) @field.new)
      (call_expression function: (_) @field.call)])]))
(export_statement
  "default" @field.of
  value: (object [
    (shorthand_property_identifier) @field @field.alias
    (pair key: (property_identifier) @field value: [
      (identifier) @field.alias
      (member_expression) @field.alias
      (new_expression constructor: (_) @field.new)
      (call_expression function: (_) @field.call)])]))
(assignment_expression
  left: (subscript_expression) @put.at
  right: [(identifier) (member_expression) (call_expression)] @put)
(catch_clause parameter: (identifier) @local)
(return_statement [(new_expression constructor: (_) @returns.new)
                   (call_expression function: (_) @returns.call)
                   (await_expression (call_expression function: (_) @returns.call))
                   (this) @returns.alias
                   (identifier) @returns.alias
                   (member_expression) @returns.alias
                   (subscript_expression) @returns.alias])
(return_statement [
  (assignment_expression right: [
    (new_expression constructor: (_) @returns.new)
    (call_expression function: (_) @returns.call)])
  (binary_expression
    left: [
      (new_expression constructor: (_) @returns.new)
      (call_expression function: (_) @returns.call)
      (identifier) @returns.alias
      (member_expression) @returns.alias]
    operator: ["||" "??"])
  (_ ["||" "??" "&&" "?"] [
    (new_expression constructor: (_) @returns.new)
    (call_expression function: (_) @returns.call)
    (identifier) @returns.alias
    (member_expression) @returns.alias])])
(arrow_function body: [(new_expression constructor: (_) @returns.new)
                       (call_expression function: (_) @returns.call)
                       (identifier) @returns.alias
                       (member_expression) @returns.alias])
(return_statement [
  (object [
    (shorthand_property_identifier) @returns.alias @returns.part
    (pair key: (property_identifier) @returns.part value: [
      (identifier) @returns.alias
      (new_expression constructor: (_) @returns.new)
      (call_expression function: (_) @returns.call)])])
  (object [
    (method_definition name: (_) @returns.part)
    (pair
      key: (property_identifier) @returns.part
      value: [(arrow_function) (function_expression)])]) @returns.object])
(arrow_function body: (parenthesized_expression [
  (object [
    (shorthand_property_identifier) @returns.alias @returns.part
    (pair key: (property_identifier) @returns.part value: [
      (identifier) @returns.alias
      (new_expression constructor: (_) @returns.new)
      (call_expression function: (_) @returns.call)])])
  (object [
    (method_definition name: (_) @returns.part)
    (pair
      key: (property_identifier) @returns.part
      value: [(arrow_function) (function_expression)])]) @returns.object]))

; Imports.
(import_statement
  (import_clause
    [(identifier) @import.default
     (namespace_import (identifier) @import.namespace)
     (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.alias))])
  source: (string (string_fragment) @import.module))
(variable_declarator
  name: [(identifier) @import.namespace
         (object_pattern
           [(shorthand_property_identifier_pattern) @import.name
            (pair_pattern key: (property_identifier) @import.name
                          value: (identifier) @import.alias)])]
  value: (call_expression
    function: (identifier) @_require
    arguments: (arguments . (string (string_fragment) @import.module)))
  (#eq? @_require "require"))
(variable_declarator
  name: (identifier) @import.alias
  value: (member_expression
    object: (call_expression
      function: (identifier) @_require
      arguments: (arguments . (string (string_fragment) @import.module)))
    property: (property_identifier) @import.name)
  (#eq? @_require "require"))
(variable_declarator
  name: [(identifier) @import.namespace
         (object_pattern
           [(shorthand_property_identifier_pattern) @import.name
            (pair_pattern key: (property_identifier) @import.name
                          value: (identifier) @import.alias)])]
  value: (await_expression (call_expression
    function: (import)
    arguments: (arguments . (string (string_fragment) @import.module)))))
; What a function gives: the module's name is its text.
(arrow_function
  body: [(call_expression
           function: (import)
           arguments: (arguments . (string (string_fragment) @import.module))) @import.namespace
         (call_expression function: (member_expression object: (call_expression
           function: (import)
           arguments: (arguments . (string (string_fragment) @import.module))) @import.namespace))])

; What is given on.
(export_statement
  (export_clause (export_specifier name: (_) @export.of alias: (_)? @export.name))
  source: (string (string_fragment) @export.module)?)
(export_statement
  (namespace_export (_) @export.name) source: (string (string_fragment) @export.module))
(export_statement "*" @export.wildcard source: (string (string_fragment) @export.module))
(export_statement value: [(identifier) (member_expression)] @export.default)
(export_statement "default" declaration: (_ name: (_) @export.default))
(assignment_expression
  left: (member_expression
    object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @export.whole
          (member_expression) @export.whole
          (call_expression
            function: (identifier) @_require
            arguments: (arguments . (string (string_fragment) @export.module)))
          (object [(shorthand_property_identifier) @export.of
                   (pair key: (property_identifier) @export.name
                         value: [(identifier) (member_expression)] @export.of)])]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @_exports)
  right: [(function_expression name: (_) @export.whole) (class name: (_) @export.whole)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: (identifier) @_module
    property: (property_identifier) @export.whole)
  right: [(arrow_function) (function_expression !name) (class !name)]
  (#eq? @_module "module") (#eq? @export.whole "exports"))
(variable_declarator
  name: (identifier) @export.whole
  value: [(assignment_expression left: (member_expression
            object: (identifier) @_module property: (property_identifier) @_exports))
          (assignment_expression right: (assignment_expression left: (member_expression
            object: (identifier) @_module property: (property_identifier) @_exports)))]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(assignment_expression
  left: (member_expression
    object: [(identifier) @_exports
             (member_expression
               object: (identifier) @_module property: (property_identifier) @_exports)]
    property: (property_identifier) @export.name)
  right: [(identifier) (member_expression)] @export.of
  (#eq? @_exports "exports"))
