(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(struct_item name: (type_identifier) @name) @class
(union_item name: (type_identifier) @name) @class
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @interface
(impl_item type: (type_identifier) @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(mod_item name: (identifier) @name) @module
(const_item name: (identifier) @name) @variable
(static_item name: (identifier) @name) @variable
(type_item name: (type_identifier) @name) @type
(macro_definition name: (identifier) @name) @function
(field_declaration name: (field_identifier) @name) @field
;; uses
(call_expression function: (identifier) @call)
(call_expression function: (field_expression field: (field_identifier) @call))
(call_expression function: (scoped_identifier name: (identifier) @call))
(macro_invocation macro: (identifier) @call)
(struct_expression name: (type_identifier) @call)
(use_declaration) @import
(line_comment) @doc
(block_comment) @doc
