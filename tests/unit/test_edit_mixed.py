"""An answer is applied in all its parts, or refused: never one part for all, and never words for a file."""

from __future__ import annotations

import json
from itertools import permutations

import pytest

from greenline.core.error import EditRejected
from greenline.edit.apply import edit_set_from_text
from greenline.edit.format import EditFormat
from greenline.edit.staging import Staging

FILES = {"a.py": "a = 1\n", "b.py": "b = 1\n"}


def applied(edit: str, path: str | None = None, given: EditFormat | None = None) -> dict[str, str]:
    """Return the files after an edit."""
    held = {f"/w/{name}": text.encode() for name, text in FILES.items()}
    changes = edit_set_from_text(edit, Staging(held.get, "/w"), path, given).changes
    return FILES | {change.path[3:]: (change.after or b"").decode() for change in changes}


def refused(edit: str, path: str | None = None) -> EditRejected:
    """Return why an edit is refused."""
    with pytest.raises(EditRejected) as caught:
        applied(edit, path)
    return caught.value


def forms(name: str) -> dict[EditFormat, str]:
    """Return the same change of a file in every form."""
    edit = {"edits": [{"path": f"{name}.py", "search": f"{name} = 1", "replace": f"{name} = 2"}]}
    old, new = f"{name} = 1\n", f"{name} = 2\n"
    return {
        EditFormat.DIFF: f"--- a/{name}.py\n+++ b/{name}.py\n@@ -1 +1 @@\n-{old}+{new}",
        EditFormat.BLOCK: f"{name}.py\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n",
        EditFormat.PATCH: f"*** Begin Patch\n*** Update File: {name}.py\n@@\n-{old}+{new}*** End Patch\n",
        EditFormat.WHOLE: f"{name}.py\n```python\n{new}```\n",
        EditFormat.JSON: f"```json\n{json.dumps(edit)}\n```\n",
    }


@pytest.mark.parametrize("pair", list(permutations(EditFormat, 2)), ids="+".join)
@pytest.mark.parametrize("between", ["\n", "\nAnd the other file:\n\n"])
def test_two_forms_in_one_answer_are_refused(pair: tuple[EditFormat, EditFormat], between: str) -> None:
    error = refused(forms("a")[pair[0]] + between + forms("b")[pair[1]])

    assert error.code == "malformed"
    assert "line" in error.message


@pytest.mark.parametrize("form", list(EditFormat))
def test_one_form_twice_is_applied_twice(form: EditFormat) -> None:
    edit = f"First:\n\n{forms('a')[form]}\nThen:\n\n{forms('b')[form]}"

    assert applied(edit) == {"a.py": "a = 2\n", "b.py": "b = 2\n"}


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (forms("a")[EditFormat.BLOCK] + "\nb.py\n<<<< SEARCH\nb = 1\n====\nb = 2\n>>>> REPLACE\n", 9),
        (forms("a")[EditFormat.BLOCK] + "\n<<<<<<< ORIGINAL\nb = 1\n=======\nb = 2\n>>>>>>> UPDATED\n", 8),
        (forms("a")[EditFormat.WHOLE] + "\nAnd in `b.py`:\n```python\nb = 2\n```\n", 7),
        (forms("a")[EditFormat.WHOLE] + "\n```python\nb = 2\n```\n", 6),
        (
            f"```diff\n{forms('a')[EditFormat.DIFF]}```\n1. and\n   ```diff\n   --- a/b.py\n   +++ b/b.py\n"
            "   @@ -1 +1 @@\n   -b = 1\n   +b = 2\n   ```\n",
            10,
        ),
        (f"```diff\n{forms('a')[EditFormat.DIFF]}```\nand\n```diff\n-b = 1\n+b = 2\n```\n", 9),
    ],
)
def test_a_part_that_cannot_be_read_refuses_the_whole(edit: str, line: int) -> None:
    error = refused(edit)

    assert error.code == "malformed"
    assert f"line {line}" in error.message


@pytest.mark.parametrize("form", list(EditFormat))
@pytest.mark.parametrize(
    "example",
    [
        "Run it:\n\n```sh\npython a.py\n```\n",
        "It prints:\n\n```\n2\n```\n",
        "- it sets `a`\n- and no more\n\nAsk me.\n",
        "With `a.py` run\n```console\n$ python a.py\n```\n",
    ],
)
def test_examples_beside_an_edit_are_passed_over(form: EditFormat, example: str) -> None:
    assert applied(f"Sure:\n\n{forms('a')[form]}\n{example}")["a.py"] == "a = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "I could not do it, sorry.",
        "",
        "\n",
        "1c1\n< a = 1\n---\n> a = 2\n",
        "".join(f"> {line}\n" for line in forms("a")[EditFormat.DIFF].splitlines()),
        "".join(f"    {line}\n" for line in forms("a")[EditFormat.DIFF].splitlines()),
        "a = 2\n",
    ],
)
def test_text_in_no_form_is_no_file(text: str) -> None:
    error = refused(text, "a.py")

    assert error.code == "malformed"
    assert "--format whole" in str(error)


def test_text_is_the_file_where_that_is_asked_for() -> None:
    assert applied("a = 3\n", "a.py", EditFormat.WHOLE)["a.py"] == "a = 3\n"
    with pytest.raises(EditRejected):
        applied("", "a.py", EditFormat.WHOLE)


RUN = "a.py\n```{}\n{}python a.py\n```\n"


@pytest.mark.parametrize(
    ("language", "prompt"), [("console", "$ "), ("bash", "$ "), ("output", ""), ("text", ">>> ")]
)
@pytest.mark.parametrize("form", list(EditFormat))
def test_commands_below_a_path_are_no_file(form: EditFormat, language: str, prompt: str) -> None:
    run = RUN.format(language, prompt)

    assert refused(run).code == "malformed"
    assert refused(run, "a.py").code == "malformed"
    assert applied(f"{forms('b')[form]}\n{run}") == {"a.py": "a = 1\n", "b.py": "b = 2\n"}


@pytest.mark.parametrize("language", ["sh", "text"])
@pytest.mark.parametrize("form", list(EditFormat))
def test_a_program_in_another_language_without_a_prompt_is_refused(form: EditFormat, language: str) -> None:
    assert refused(f"{forms('b')[form]}\n{RUN.format(language, '')}").code == "malformed"


@pytest.mark.parametrize("name", ["run.sh", "notes.txt", "Makefile", ".env", "README.md"])
@pytest.mark.parametrize("language", ["sh", "text"])
def test_a_file_that_is_no_program_may_be_in_such_a_fence(name: str, language: str) -> None:
    assert applied(f"{name}\n```{language}\nx=1\n```\n") == FILES | {name: "x=1\n"}


FIRST = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-a = 1\n+a = 2\n"
SECOND = "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-b = 1\n+b = 2\n"


@pytest.mark.parametrize(
    "second",
    [
        "```\n\n```diff\n" + SECOND.replace("@@ -1 +1 @@\n", ""),
        "\n" + "".join(f"  {line}\n" for line in SECOND.splitlines()),
    ],
)
def test_a_second_diff_that_cannot_be_read_is_not_passed_over(second: str) -> None:
    error = refused(f"```diff\n{FIRST}{second}```\n")

    assert (error.code, "that could not be read" in error.message) == ("malformed", True)


def test_a_diff_inside_the_context_of_a_hunk_is_no_second_one() -> None:
    context = " p:\n \n   --- a/x\n   +++ b/x\n   @@ -1 +1 @@\n"
    edit = f"--- a/a.py\n+++ b/a.py\n@@ -1,6 +1,6 @@\n{context}-a = 1\n+a = 2\n"

    assert refused(edit).code == "no-match"
    assert refused(edit.replace("\n \n", "\n\n")).code == "no-match"
