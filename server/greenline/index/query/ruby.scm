(class name: (constant) @name) @class
(class name: (scope_resolution) @name) @class
(module name: (constant) @name) @module
(module name: (scope_resolution) @name) @module
(method name: (_) @name) @function
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @variable
;; uses
(call method: (identifier) @call)
(call method: (constant) @call)
(superclass (constant) @call)
(call method: (identifier) @_m arguments: (argument_list . (string)) (#any-of? @_m "require" "require_relative" "load" "autoload")) @import
(comment) @doc
