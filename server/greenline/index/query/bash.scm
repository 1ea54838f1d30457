(function_definition name: (word) @name) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name) @variable))
;; uses
(command name: (command_name (word) @call))
(command name: (command_name (word) @_c) . argument: (_) (#any-of? @_c "source" ".")) @import
(comment) @doc
