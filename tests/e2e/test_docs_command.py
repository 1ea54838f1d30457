"""The commands that the documentation and the help show do what they say, on the sample project."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.__main__ import ON_REQUEST, TABLES

from greenline.app import open_journal
from greenline.cli.parser import make_parser
from greenline.core.task import RunState, Task
from greenline.demo.scene import sample_project
from greenline.edit.hunk import diff_text

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OLD, NEW = "        if quantity > pieces:\n", "        if quantity >= pieces:\n"


def blocks(language: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of a language, each with the document that holds it."""
    return [
        (path.name, match[2])
        for path in DOCUMENTS
        for match in BLOCK.finditer(path.read_text("utf-8"))
        if match[1] == language
    ]


def parsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yield every command's parser under its words; `edit`, which has commands of its own, is none."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, child in action.choices.items():
                deeper = [(f"{name} {more}", found) for more, found in parsers(child)]
                yield from deeper or [(name, child)]


@pytest.fixture
def project(docker_host: str) -> Iterator[Path]:
    """Yield the sample project under git, with an edit and a patch that mend its failing test."""
    with sample_project() as root:
        before = (root / "ledger" / "discount.py").read_text()
        assert OLD in before
        blocks = f"ledger/discount.py\n<<<<<<< SEARCH\n{OLD}=======\n{NEW}>>>>>>> REPLACE\n"
        (root / "answer.txt").write_text(blocks)
        (root / "fix.diff").write_text(diff_text("ledger/discount.py", before, before.replace(OLD, NEW)))
        (root / "src").mkdir()
        (root / "src" / "app.min.js").write_text("var retries=0;\n")
        (root / ".git" / "info" / "exclude").write_text("answer.txt\nfix.diff\nsrc/\n")
        yield root


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script as a reader of the documentation would."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize(("document", "script"), blocks("sh"))
def test_shell_block_of_a_document_runs(document: str, script: str, project: Path) -> None:
    lines = script.splitlines()
    targets = [words[1] for line in lines if (words := shlex.split(line, comments=True))[:1] == ["make"]]

    # `make` sets a machine up and runs everything, this test too: all to be seen here is that it can.
    done = shell(f"make -n {shlex.join(targets)}", ROOT) if targets else shell(script, project)

    assert done.returncode == 0, f"{document}: {done.stdout}{done.stderr}"


@pytest.mark.parametrize(("document", "text"), blocks("toml"))
def test_toml_block_of_a_document_can_be_read(document: str, text: str) -> None:
    assert tomllib.loads(text), document


def test_table_of_commands_is_that_of_the_program() -> None:
    """Every command and every option is in docs/cli.md, and nothing else is."""
    table = {
        words.split(" [")[0].removesuffix(" REQUEST").removesuffix(" RUN").removesuffix(" WORDS"): words
        for words in re.findall(r"^\| `greenline ([^`]+)`", (ROOT / "docs" / "cli.md").read_text(), re.M)
    }
    known = dict(parsers(make_parser()))

    assert table.keys() == known.keys()
    for name, parser in known.items():
        options = {o for a in parser._actions for o in a.option_strings if o.startswith("--")} - {"--help"}
        assert set(re.findall(r"--[\w-]+", table[name])) == options, name


def test_tables_of_the_benchmarks_are_those_that_are_there() -> None:
    """Every table is named in docs/benchmarks.md, and what any document has one run is there."""
    page = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    named = re.search(r"runs one table \(([^)]+)\)", page)
    run = [
        name
        for document in DOCUMENTS
        for words in re.findall(r"python -m bench ((?:[a-z_]+ ?)+)", document.read_text("utf-8"))
        for name in words.split()
    ]

    assert named is not None
    assert sorted(re.findall(r"`(\w+)`", named[1])) == sorted(TABLES)
    assert run
    assert set(run) <= {*TABLES, *ON_REQUEST}
    for name in TABLES:
        assert callable(importlib.import_module(f"bench.{name}").measure), name


def test_examples_of_the_help_run(project: Path) -> None:
    """In an order in which each finds what it needs; ids stand for those that there are."""
    examples = {
        name: (parser.epilog or "").split("example:\n", 1)[1].strip()
        for name, parser in parsers(make_parser())
    }
    order = [
        "doctor",
        "edit apply",
        "checkpoints",
        "undo",
        "runs",
        "show",
        "index",
        "search",
        "flaky",
        "packages",
        "acp",
        "mcp",
        "serve",
    ]
    # These repair or verify, as tests of their own do; here they are read only.
    slow = ["run", "plan", "verify", "demo"]
    # The server waits for an editor, and at the end of its input leaves with LSP's code for no shutdown.
    codes = {"serve": 1}
    journal = open_journal(str(project))
    run_id = journal.create_run(Task("an earlier run", (str(project),))).id
    journal.set_state(run_id, RunState.FAILED)
    journal.close()

    assert examples.keys() == {*order, *slow}
    for name in slow:
        assert make_parser().parse_args(shlex.split(examples[name])[1:])
    for name in order:
        # What stands for an id is said in the comment behind it.
        command, _, said = examples[name].partition("#")
        own = newest_checkpoint(project) if name == "undo" else run_id
        command = re.sub(r"\bRUN\b", own, command)
        assert (own in command) == ("RUN is an id" in said)
        done = shell(command, project)
        assert done.returncode == codes.get(name, 0), f"{command}: {done.stdout}{done.stderr}"
    assert OLD in (project / "ledger" / "discount.py").read_text()


def newest_checkpoint(project: Path) -> str:
    done = shell("greenline checkpoints --limit 1 --json", project)
    found: str = json.loads(done.stdout)[0]["checkpointId"]
    return found
