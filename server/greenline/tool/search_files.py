"""`search_files`: a regular expression over the project's files, by ripgrep; staged text is what counts."""

from __future__ import annotations

import fnmatch
import json
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from greenline.core.error import GreenlineError, InvalidInput
from greenline.tool.definition import Tool, ToolContext, bounded, spec
from greenline.workspace.program import find_program

_MAX_HITS = 100
_TIMEOUT_S = 30.0
_MAX_ARGUMENT_BYTES = 100_000


def _run(arguments: Mapping[str, Any], context: ToolContext) -> str:
    program = find_program("rg", context.roots)
    if program is None:
        raise GreenlineError(
            "ripgrep is not installed.", remedy="Read files instead; the user can install ripgrep."
        )
    moved_paths = [*(c.path for c in context.staging.edit_set().changes), *context.snapshot.overlay]
    not_as_on_disk = {context.shown(path) for path in moved_paths}
    # ripgrep takes no notice of `--glob` for files that are named to it, so the names are chosen here.
    names = [name for name in context.files() if _fits(name, arguments.get("glob", ""))]
    moved = [name for name in names if name in not_as_on_disk]
    with tempfile.TemporaryDirectory(prefix="greenline-search-") as folder:
        for name in moved:
            copy = Path(folder) / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(context.staging.current(context.absolute(name)) or b"")
        hits = list(_search(program, arguments, folder, moved))
    for root in context.roots:
        prefix = "" if len(context.roots) == 1 else f"{context.shown(root)}/"
        below = [n[len(prefix) :] for n in names if n not in not_as_on_disk and n.startswith(prefix)]
        hits += [(prefix + path, line, text) for path, line, text in _search(program, arguments, root, below)]
    if not hits:
        return "Nothing matches."
    shown = sorted(hits)[:_MAX_HITS]
    more = f"\n… {len(hits) - len(shown)} more" if len(hits) > len(shown) else ""
    return bounded("\n".join(f"{path}:{line}: {text}" for path, line, text in shown) + more)


def _search(
    program: str, arguments: Mapping[str, Any], folder: str, names: list[str]
) -> Iterator[tuple[str, int, str]]:
    command = [program, "--no-config", "--json", "--max-columns=400", "--max-filesize=2M", "--no-messages"]
    command += ["--fixed-strings"] if arguments.get("literal") else []
    command += ["--ignore-case"] if arguments.get("ignore_case") else []
    for chunk in _chunks(names):
        done = subprocess.run(
            [*command, "-e", arguments["pattern"], "--", *chunk],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
        if done.returncode == 2 and not done.stdout:
            words = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise InvalidInput(
                f"ripgrep refuses the pattern: {words[-1] if words else 'no reason given'}.",
                remedy="Mend the pattern, or set literal.",
            )
        for line in done.stdout.splitlines():
            record = json.loads(line)
            if record["type"] == "match":
                data = record["data"]
                text = data["lines"].get("text", "").rstrip("\r\n")
                yield data["path"].get("text", "?"), data["line_number"], text[:400]


def _fits(name: str, glob: str) -> bool:
    """Return whether a path, or its last part, is like a pattern; every path is like none."""
    return not glob or PurePosixPath(name).match(glob) or fnmatch.fnmatchcase(name, glob)


def _chunks(names: list[str]) -> Iterator[list[str]]:
    """Split names so that no command line is too long."""
    chunk: list[str] = []
    size = 0
    for name in names:
        chunk.append(f"./{name}" if name.startswith("-") else name)
        size += len(name.encode()) + 1
        if size > _MAX_ARGUMENT_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


TOOL = Tool(
    spec(
        "search_files",
        "Search all files for a regular expression (ripgrep's syntax); answers path:line: text.",
        "pattern",
        pattern=("string", "What to look for."),
        glob=("string", "Only in files like this, `*.py`."),
        literal=("boolean", "Take the pattern as plain text."),
        ignore_case=("boolean", "Take capitals and small letters as the same."),
    ),
    "search",
    _run,
)
