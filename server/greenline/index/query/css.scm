(rule_set (selectors) @name) @selector
(keyframes_statement (keyframes_name) @name) @selector
;; uses
(import_statement) @import
(comment) @doc
