; Uses. A command is a function of the shell or a program: only its name tells.
((command_name (word) @call)
  (#match? @call "^[-+.:]*[A-Za-z_][-+.:@A-Za-z0-9_]*$"))
; The words before a command that the shell itself runs; bats runs a function by `run`.
((command
    name: (command_name (word) @_before)
    . argument: (word) @call)
  (#any-of? @_before "time" "coproc" "run")
  (#match? @call "^[A-Za-z_][-+.:@A-Za-z0-9_]*$"))
; Functions that are called later.
((command
    name: (command_name (word) @_trap)
    . argument: (word) @value @passed)
  (#eq? @_trap "trap")
  (#match? @value "^[A-Za-z_][-+.:@A-Za-z0-9_]*$"))
((command
    name: (command_name (word) @_complete)
    argument: (word) @_option
    . argument: (word) @value @passed)
  (#eq? @_complete "complete")
  (#eq? @_option "-F"))
((declaration_command . (word) @_option . (variable_name) @value @passed)
  (#eq? @_option "-f"))

; Files whose text runs here, by their paths; in tests of bats also by `load`.
((command
    name: (command_name (word) @import.exported)
    . argument: (_) @import.module)
  (#any-of? @import.exported "source" "." "load"))
