;; uses
(script_element (start_tag (attribute (attribute_name) @_a (#eq? @_a "src"))) @import)
(start_tag (tag_name) @_t (#eq? @_t "link")) @import
(comment) @doc
