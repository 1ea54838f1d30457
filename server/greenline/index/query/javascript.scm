(class_declaration name: (_) @name) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(method_definition name: (_) @name) @method
(field_definition property: (_) @name) @field
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
;; uses
(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (property_identifier) @call))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (property_identifier) @call))
(class_heritage (identifier) @call)
(import_statement) @import
(export_statement source: (string)) @import
(call_expression function: (identifier) @_f arguments: (arguments . (string) .) (#eq? @_f "require")) @import
(call_expression function: (import)) @import
(comment) @doc
(jsx_self_closing_element name: (identifier) @call)
(jsx_opening_element name: (identifier) @call)
