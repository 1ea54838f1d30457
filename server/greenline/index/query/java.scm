(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(method_declaration name: (identifier) @name) @method
(constructor_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
;; uses
(method_invocation name: (identifier) @call)
(object_creation_expression type: (type_identifier) @call)
(superclass (type_identifier) @call)
(super_interfaces (type_list (type_identifier) @call))
(marker_annotation name: (identifier) @call)
(annotation name: (identifier) @call)
(import_declaration) @import
(line_comment) @doc
(block_comment) @doc
