(section . (atx_heading heading_content: (inline) @name)) @heading
(section . (setext_heading heading_content: (paragraph) @name)) @heading
;; uses
