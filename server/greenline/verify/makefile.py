"""What the target `test` of a Makefile runs, as far as its recipe says it itself; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from greenline.core.port import Tree
from greenline.verify.test_command import TestCommand, read_command

_NAMES = ("GNUmakefile", "makefile", "Makefile")
_RULE = re.compile(r"^(?:tests?|check)\s*:(?!=)[^\n]*\n((?:[\t][^\n]*(?:\n|\Z)|\n)+)", re.MULTILINE)
_VARIABLE = re.compile(r"\$[({](\w+)[)}]")
_SET = re.compile(r"^(\w+)\s*[:?]?=\s*(.*)$", re.MULTILINE)


def make_command(tree: Tree) -> TestCommand | None:
    """Return the runner that `make test` starts, or None where the Makefile does not say."""
    for name in _NAMES:
        file = tree.get(name)
        if file is None:
            continue
        text = file.content.decode("utf-8", "replace").replace("\\\n", " ")
        values = {match.group(1): match.group(2).strip() for match in _SET.finditer(text)}
        for rule in _RULE.finditer(text):
            recipe = "\n".join(line.lstrip("\t@-+ ") for line in rule.group(1).split("\n"))
            found = read_command(_expanded(recipe, values))
            if found is not None and found.is_known:
                return found
    return None


def _expanded(recipe: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values.get(match.group(1), ""), recipe)
