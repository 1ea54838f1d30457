; inherits: c
(class_specifier name: (type_identifier) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(function_definition declarator: (function_declarator declarator: (field_identifier) @name)) @method
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (field_identifier) @name))) @method
(function_definition declarator: (reference_declarator (function_declarator declarator: (field_identifier) @name))) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: (_) @name))) @method
(function_definition declarator: (function_declarator declarator: (destructor_name) @name)) @method
(function_definition declarator: (function_declarator declarator: (operator_name) @name)) @method
(field_declaration declarator: (function_declarator declarator: (field_identifier) @name)) @method
(field_declaration declarator: (field_identifier) @name) @field
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @type
;; uses
(call_expression function: (qualified_identifier name: (identifier) @call))
(call_expression function: (template_function name: (identifier) @call))
(new_expression type: (type_identifier) @call)
(base_class_clause (type_identifier) @call)
