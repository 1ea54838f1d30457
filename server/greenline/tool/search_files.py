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
_MAX_HITS_A_FILE = 1000
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
        hits = list(_search(program, arguments, folder, moved, context))
    for root in context.roots:
        prefix = "" if len(context.roots) == 1 else f"{context.shown(root)}/"
        below = [n[len(prefix) :] for n in names if n not in not_as_on_disk and n.startswith(prefix)]
        found = _search(program, arguments, root, below, context)
        hits += [(prefix + path, line, text) for path, line, text in found]
    if not hits:
        return "Nothing matches."
    shown = sorted(hits)[:_MAX_HITS]
    more = f"\n… {len(hits) - len(shown)} more" if len(hits) > len(shown) else ""
    return bounded("\n".join(f"{path}:{line}: {text}" for path, line, text in shown) + more)


def _search(
    program: str, arguments: Mapping[str, Any], folder: str, names: list[str], context: ToolContext
) -> Iterator[tuple[str, int, str]]:
    command = [program, "--no-config", "--json", "--max-columns=400", "--max-filesize=2M", "--no-messages"]
    command += [f"--max-count={_MAX_HITS_A_FILE}"]
    command += ["--fixed-strings"] if arguments.get("literal") else []
    command += ["--ignore-case"] if arguments.get("ignore_case") else []
    for chunk in _chunks(names):
        code, found, complaint = _run_program(
            [*command, "-e", arguments["pattern"], "--", *chunk], folder, context
        )
        if code == 2 and not found:
            words = complaint.decode("utf-8", "replace").strip().splitlines()
            raise InvalidInput(
                f"ripgrep refuses the pattern: {words[-1] if words else 'no reason given'}.",
                remedy="Mend the pattern, or set literal.",
            )
        for line in found.splitlines():
            record = json.loads(line)
            if record["type"] == "match":
                data = record["data"]
                text = data["lines"].get("text", "").rstrip("\r\n")
                yield data["path"].get("text", "?"), data["line_number"], text[:400]


def _run_program(command: list[str], folder: str, context: ToolContext) -> tuple[int, bytes, bytes]:
    """Return the exit code, standard output and error of a program that ends with the run."""
    pipe = subprocess.PIPE
    with (
        subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process,
        context.cancellation.hook(process.kill),
    ):
        try:
            found, complaint = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise GreenlineError(
                f"The search took longer than {_TIMEOUT_S:.0f} s.",
                remedy="Narrow it with glob, or look for something rarer.",
                code="timeout",
            ) from None
    context.cancellation.raise_if_cancelled()
    return process.returncode, found, complaint


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
