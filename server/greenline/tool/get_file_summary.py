"""`get_file_summary`: a file's outline; for Python from its syntax, else its size and first lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from greenline.core.syntax import parse_python
from greenline.edit.text import split_lines
from greenline.tool.definition import Tool, ToolContext, bounded, spec

_HEAD = 20


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    path = arguments["path"]
    text = context.read(path).text
    lines = split_lines(text)
    head = f"{path}: {len(lines)} lines, {len(text)} characters"
    if path.endswith((".py", ".pyi")):
        try:
            outline = list(_outline(parse_python(text).body, ""))
        except SyntaxError as error:
            return f"{head}\nIt does not parse as Python: {error}"
        except RecursionError:
            return f"{head}\nIt is nested too deep for an outline."
        return bounded("\n".join([head, *outline]))
    return bounded(head + "\n" + "".join(lines[:_HEAD]))


def _outline(body: list[ast.stmt], indent: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = (ast.get_docstring(node) or "").split("\n")[0]
            yield f"{node.lineno:5} {indent}def {node.name}({ast.unparse(node.args)})  {doc}".rstrip()
        elif isinstance(node, ast.ClassDef):
            bases = ", ".join(ast.unparse(base) for base in node.bases)
            yield f"{node.lineno:5} {indent}class {node.name}({bases})"
            yield from _outline(node.body, indent + "    ")
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom) and not indent:
            yield f"{node.lineno:5} {ast.unparse(node)[:100]}"


TOOL = Tool(
    spec(
        "get_file_summary",
        "Outline of a file: its imports, classes and functions with line numbers, without the bodies.",
        "path",
        path=("string", "Path relative to the root."),
    ),
    "read",
    _run,
)
