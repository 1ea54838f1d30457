"""Words between the parts of an answer: what they announce is not lost, nor put into another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.staging import Staging
from greenline.workspace.snapshot import Snapshot

LINES = "".join(f"l{number}\n" for number in range(1, 41))
BLOCK = "src/a.py\n```\n<<<<<<< SEARCH\nl3\n=======\nimport c\n>>>>>>> REPLACE\n```\n"
DIFF = "```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -2,3 +2,3 @@\n l2\n-l3\n+import c\n l4\n```\n"
JSON = '```json\n{"edits": [{"path": "src/a.py", "search": "l3\\n", "replace": "import c\\n"}]}\n```\n'
PATCH = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-l3\n+import c\n*** End Patch\n"
WHOLE = f"src/a.py\n```python\n{LINES.replace('l3', 'import c')}```\n"
FORMS = {"block": BLOCK, "diff": DIFF, "json": JSON, "patch": PATCH, "whole": WHOLE}
FILES = ("src/a.py", "src/settings.py", "Makefile", "Dockerfile", "src/b.py", "README.md")


def applied(root: Path, edit: str) -> set[str]:
    """Return the files that an edit changes."""
    for name in FILES:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(LINES)
    staging = Staging(Snapshot((str(root),)).read_bytes, str(root))
    changes = edit_set_from_text(edit, staging).changes
    return {str(Path(change.path).relative_to(root)) for change in changes}


def is_malformed(root: Path, edit: str) -> bool:
    try:
        applied(root, edit)
    except EditRejected as error:
        return error.code == "malformed"
    return False


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "words",
    [
        "New file `c.py`:",
        "Create `c.py`:",
        "## Create c.py",
        "## Create c.py\n\nIt holds the constants that the others share.",
        "Add a new file c.py with:",
        "And `c.py` (new):",
        "2. Create `src/c.py`",
        "Then make c.py:",
        "The new module c.py looks like this:",
        "Here is c.py:",
        "File 2 - c.py",
        "c.py - new file",
        "I also need src/c.py, which holds",
        "### Changes in src/b.py",
    ],
)
def test_a_fence_below_words_about_a_file_is_not_lost(tmp_path: Path, form: str, words: str) -> None:
    edit = f'{FORMS[form]}\n{words}\n\n```python\nprint("c")\n```\n'

    assert is_malformed(tmp_path, edit)


@pytest.mark.parametrize(
    ("words", "fence"),
    [
        ("Create `run.sh`:", "bash\n#!/bin/sh\nexec python a.py"),
        ("Add notes.txt with:", "text\nNothing yet."),
        ("The new config.json:", 'json\n{"a": 1}'),
        ("Create a new file c.py:", "\nx = 1"),
    ],
)
def test_a_new_file_in_the_language_of_an_example_is_not_lost(tmp_path: Path, words: str, fence: str) -> None:
    assert is_malformed(tmp_path, f"{BLOCK}\n{words}\n\n```{fence}\n```\n")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("words", "fence"),
    [
        ("Run it with `python src/a.py`:", "bash\npython src/a.py"),
        ("Then create the lock file by running `make c.lock`:", "sh\nmake c.lock"),
        ("The output of `python c.py`:", "console\n$ python c.py\nc"),
        ("It prints what is in out.txt:", "text\nc"),
        ("You can call it like this:", "python\nc()"),
        ("For example, in a test such as test_c.py you would call", "python\nc()"),
        ("Usage with Node.js looks like this:", "js\nc()"),
        ("The response of `fetch().json()` is", 'json\n{"c": 1}'),
    ],
)
def test_examples_and_commands_stay_harmless(tmp_path: Path, form: str, words: str, fence: str) -> None:
    if form == "whole" and fence.startswith("python"):
        # A fence in the language of the whole files may be one of them.
        return
    assert applied(tmp_path, f"{FORMS[form]}\n{words}\n\n```{fence}\n```\n") == {"src/a.py"}


OTHER = [
    "Now the same in src/b.py:",
    "Now the same in b.py:",
    "Now the same in `src/b`:",
    "The same in the Makefile:",
    "The same for the Dockerfile.",
    "And the README:",
    "and settings.py needs it as well",
    "In `settings`:",
    "In the settings module:",
    "Then tests/test_a.py (new):",
    "Second file, src\\b.py:",
]
OWN = [
    "Now src/a.py again:",
    "And in a.py:",
    "Then the caller:",
    "The same in `main`:",
    "In the next function:",
]


@pytest.mark.parametrize(("words", "is_other"), [*((w, True) for w in OTHER), *((w, False) for w in OWN)])
def test_a_part_without_a_path_is_not_put_into_the_file_before(
    tmp_path: Path, words: str, is_other: bool
) -> None:
    block = "```\n<<<<<<< SEARCH\nl25\n=======\nY\n>>>>>>> REPLACE\n```\n"
    hunk = "```diff\n@@ -24,3 +24,3 @@\n l24\n-l25\n+Y\n l26\n```\n"

    assert is_malformed(tmp_path, f"{BLOCK}\n{words}\n\n{block}") == is_other
    assert is_malformed(tmp_path, f"{DIFF}\n{words}\n\n{hunk}") == is_other


def test_a_path_alone_above_a_diff_without_a_header_names_its_file(tmp_path: Path) -> None:
    hunk = "```diff\n@@ -24,3 +24,3 @@\n l24\n-l25\n+Y\n l26\n```\n"

    assert applied(tmp_path, f"src/b.py\n\n{hunk}") == {"src/b.py"}
    assert applied(tmp_path, f"### `src/b.py`\n{hunk}") == {"src/b.py"}
    assert is_malformed(tmp_path, f"Change it so:\n{hunk}")
    assert is_malformed(tmp_path, f"src/b.py\n{hunk}\nsrc/a.py\n{hunk}")
