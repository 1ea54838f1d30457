"""Which image a project's own files ask for, and what to say where they do not."""

from __future__ import annotations

import pytest

from greenline.core.error import SandboxUnavailable
from greenline.core.port import StagedFile
from greenline.sandbox.project_image import wanted_image

PLACE = ".devcontainer/devcontainer.json"


def _tree(files: dict[str, str]) -> dict[str, StagedFile]:
    return {name: StagedFile(text.encode()) for name, text in files.items()}


def test_a_name_stands_for_itself() -> None:
    wanted = wanted_image("python:3.12", {})

    assert wanted.name == "python:3.12"
    assert "docker pull python:3.12" in wanted.remedy


def test_the_image_of_a_devcontainer_is_read_with_comments() -> None:
    text = '{\n // "image": "other"\n "image": "one:2", /* x */ "url": "http://a//b",\n "list": [1, 2, ],\n}'

    assert wanted_image("devcontainer", _tree({PLACE: text})).name == "one:2"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('{"build": {"dockerfile": "Dockerfile", "context": ".."}}', "-f ./.devcontainer/Dockerfile ."),
        ('{"dockerFile": "Dockerfile"}', "-f ./.devcontainer/Dockerfile ./.devcontainer"),
    ],
)
def test_the_dockerfile_of_a_devcontainer_is_to_be_built(text: str, command: str) -> None:
    tree = _tree({PLACE: text, ".devcontainer/Dockerfile": "FROM one\n"})

    wanted = wanted_image("devcontainer", tree)

    assert f"docker build -t {wanted.name} {command}`" in wanted.remedy


def test_the_name_of_an_image_holds_what_the_dockerfile_copies_by_name() -> None:
    text = "FROM one\nCOPY --chown=1 a.txt \\\n b.txt /x/\nCOPY --from=two c.txt /\nCOPY . .\n"
    files = {"Dockerfile": text, "a.txt": "a", "b.txt": "b", "c.txt": "c", "main.py": "1"}
    name = wanted_image("dockerfile", _tree(files)).name

    for changed, differs in (("a.txt", True), ("b.txt", True), ("c.txt", False), ("main.py", False)):
        other = wanted_image("dockerfile", _tree({**files, changed: "new"})).name
        assert (other != name) == differs, changed
    assert wanted_image("dockerfile:sub/D", _tree({"sub/D": text})).name != name


@pytest.mark.parametrize(
    ("image", "files", "problem"),
    [
        ("dockerfile", {}, "no Dockerfile"),
        ("devcontainer", {}, "no .devcontainer/devcontainer.json"),
        ("devcontainer", {PLACE: "{"}, "cannot be read"),
        ("devcontainer", {PLACE: "{}"}, "names neither"),
        ("devcontainer", {PLACE: '{"image": "a", "features": {"b": {}}}'}, "asks for features"),
    ],
)
def test_what_the_files_do_not_say_is_an_error(image: str, files: dict[str, str], problem: str) -> None:
    with pytest.raises(SandboxUnavailable, match=problem) as caught:
        wanted_image(image, _tree(files))

    assert caught.value.remedy
