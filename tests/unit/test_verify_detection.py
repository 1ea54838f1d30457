"""Which projects a tree holds and why, how test commands are read, and what changes concern."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from greenline.core.port import StagedFile, Tree
from greenline.verify.detection import concerned, projects
from greenline.verify.makefile import make_command
from greenline.verify.test_command import TestCommand, read_command

NODE_TEST = "import test from 'node:test';\n"


def of(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def package(script: str = "", **more: object) -> str:
    return json.dumps({"scripts": {"test": script} if script else {}, **more})


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"a.py": ""}, [("python", "pytest", "")]),
        ({"pyproject.toml": ""}, [("python", "pytest", "")]),
        ({"README.md": ""}, []),
        ({"package.json": package("node --test")}, [("node", "node:test", "")]),
        ({"package.json": package("npm run lint && vitest run")}, [("node", "vitest", "")]),
        ({"package.json": package("c8 mocha")}, [("node", "mocha", "")]),
        ({"package.json": package("node --experimental-vm-modules node_modules/.bin/jest")},
         [("node", "jest", "")]),
        ({"package.json": json.dumps({"scripts": {"test": "npm run unit", "unit": "jest"}})},
         [("node", "jest", "")]),
        ({"package.json": package(), "jest.config.js": ""}, [("node", "jest", "")]),
        ({"package.json": package(devDependencies={"mocha": "1"})}, [("node", "mocha", "")]),
        ({"package.json": package(), "test/a.test.js": NODE_TEST}, [("node", "node:test", "")]),
        ({"package.json": package('echo "Error: no test specified" && exit 1')}, []),
        ({"package.json": package(), "Makefile": "test:\n\tnpx mocha spec\n"}, [("node", "mocha", "")]),
        ({"a.test.mjs": NODE_TEST}, [("node", "node:test", "")]),
        ({"package.json": package("ava")}, [("node", "", "")]),
        ({"go.mod": "module x\n"}, [("go", "go test", "")]),
        ({"pom.xml": "", "sub/pom.xml": ""}, [("java", "junit", "")]),
        ({"build.gradle": ""}, [("java", "junit", "")]),
        ({"api/pyproject.toml": "", "api/tests/test_a.py": "", "web/package.json": package("jest"),
          "tools/go.mod": "module t\n"},
         [("python", "pytest", ""), ("node", "jest", "web"), ("go", "go test", "tools")]),
        # A stray script does not make a Python project of a Node one.
        ({"package.json": package("jest"), "tool.py": ""}, [("node", "jest", "")]),
    ],
)  # fmt: skip
def test_projects(files: dict[str, str], found: list[tuple[str, str, str]]) -> None:
    detected = projects(of(files))

    assert [(project.kind, project.runner, project.folder) for project in detected] == found
    assert all(project.why for project in detected)


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("package.json", "{", "package.json is not valid JSON: Expecting"),
        ("package.json", "[]", "package.json is not a JSON object."),
        ("pyproject.toml", "[", "pyproject.toml is not valid TOML:"),
        ("go.mod", "modul x", "go.mod has no `module` line."),
    ],
)
def test_a_manifest_that_cannot_be_read_says_why(path: str, text: str, words: str) -> None:
    (project,) = projects(of({path: text}))

    assert words in project.problem


def test_the_package_manager_is_named() -> None:
    assert projects(of({"package.json": package("jest")}))[0].why[0] == "package.json (npm)"
    assert projects(of({"package.json": package("jest"), "pnpm-lock.yaml": ""}))[0].why[0] == (
        "package.json (pnpm, by pnpm-lock.yaml)"
    )
    (project,) = projects(of({"package.json": package("jest", packageManager="yarn@4.1.0+sha.1")}))
    assert project.why[0] == "package.json (yarn@4.1.0)"


@pytest.mark.parametrize(
    ("command", "runner", "flags", "patterns"),
    [
        ("node --test", "node:test", (), ()),
        ("node --import tsx --test 'test/**/*.ts'", "node:test", ("--import", "tsx"), ("test/**/*.ts",)),
        ("tsx --test test", "node:test", ("--import", "tsx"), ("test",)),
        ("node --test --test-reporter=spec --test-only", "node:test", ("--test-only",), ()),
        ("npx jest --coverage -c jest.unit.js src", "jest", ("-c", "jest.unit.js"), ("src",)),
        ("vitest run --reporter=dot unit", "vitest", (), ("unit",)),
        ("mocha -r ts-node/register spec/*.ts --timeout 9000", "mocha",
         ("-r", "ts-node/register", "--timeout", "9000"), ("spec/*.ts",)),
        ("go test -race -tags x ./...", "go test", ("-race", "-tags", "x"), ("./...",)),
        ("node --test --test-reporter spec --test-name-pattern low test", "node:test",
         ("--test-name-pattern", "low"), ("test",)),
        ("mocha -R spec", "mocha", (), ()),
        ("mocha --reporter dot -g slow -i", "mocha", ("-g", "slow", "-i"), ()),
        ("jest -w 4 --testPathPattern 'unit|more' src", "jest", ("--testPathPattern", "unit|more"), ("src",)),
        ("vitest run --bail 1 --reporter dot unit", "vitest", (), ("unit",)),
        ("go test -coverprofile c.out -parallel 2 ./...", "go test",
         ("-coverprofile", "c.out", "-parallel", "2"), ("./...",)),
        ("go vet ./... & go test ./a", "go test", (), ("./a",)),
        ("uv run pytest -x tests", "pytest", ("-x",), ("tests",)),
        ("python3 -m unittest discover", "unittest", (), ("discover",)),
    ],
)  # fmt: skip
def test_a_command_is_read(
    command: str, runner: str, flags: tuple[str, ...], patterns: tuple[str, ...]
) -> None:
    found = read_command(command)

    assert found is not None
    assert (found.runner, found.flags, found.patterns) == (runner, flags, patterns)


def test_variables_of_a_command_are_kept() -> None:
    found = read_command("cross-env NODE_ENV=test TZ=UTC mocha")

    assert found is not None
    assert found.environment == (("NODE_ENV", "test"), ("TZ", "UTC"))


@pytest.mark.parametrize("command", ["", "make all", "echo pytest", "npm test", "tsc && eslint ."])
def test_a_command_without_a_runner_is_none(command: str) -> None:
    assert read_command(command) is None


def test_scripts_that_call_one_another_end() -> None:
    assert read_command("npm run a", {"a": "npm run b", "b": "npm run a"}) is None


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_any_text_is_a_command_or_none(command: str, scripts: dict[str, str]) -> None:
    found = read_command(command, scripts)

    assert found is None or isinstance(found, TestCommand)


@given(st.dictionaries(st.sampled_from(["package.json", "go.mod", "pyproject.toml", "Makefile", "pom.xml"]),
                       st.binary(max_size=60)))  # fmt: skip
def test_no_manifest_breaks_detection(files: dict[str, bytes]) -> None:
    found = projects({path: StagedFile(content) for path, content in files.items()})

    assert all(project.why for project in found)


def test_a_makefile_names_its_runner() -> None:
    text = "GO ?= go\nFLAGS = -race \\\n  -short\n\ntest: build\n\t@$(GO) test $(FLAGS) ./...\n\nbuild:\n"

    found = make_command(of({"Makefile": text}))

    assert found == TestCommand("go test", ("-race", "-short"), ("./...",))


def test_the_users_own_command_comes_first() -> None:
    files = of({"package.json": package("ava"), "sub/go.mod": "module s\n"})

    root, other = projects(files, "npx vitest run --config a.ts")

    assert (root.runner, root.flags, root.why[0][:28]) == (
        "vitest", ("--config", "a.ts"), "the setting `test_command`: "
    )  # fmt: skip
    assert other.folder == "sub"


def test_a_command_of_an_unknown_runner_is_refused_by_name() -> None:
    (project,) = projects(of({"a.py": ""}), "make check")

    assert "`make check`" in project.no_runner


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("web/src/a.ts", "web"),
        ("web/package.json", "web"),
        ("api/a.py", ""),
        ("tools/x/a.go", "tools"),
        ("web/README.md", "web"),
    ],
)
def test_a_change_concerns_the_nearest_project_of_its_language(path: str, folder: str) -> None:
    found = projects(
        of({"pyproject.toml": "", "web/package.json": package("jest"), "tools/go.mod": "module t\n"})
    )

    assert [project.folder for project in concerned(found, [path])] == [folder]


@pytest.mark.parametrize(
    ("path", "kinds"),
    [
        ("schema.json", ["python", "node"]),
        ("docs/schema.json", ["python", "node"]),
        ("a.py", ["python"]),
        ("CHANGELOG.md", ["python"]),
        ("package.json", ["node"]),
        ("main.rs", ["python", "node"]),
        ("tools/schema.json", ["go"]),
    ],
)
def test_a_file_of_no_language_concerns_all_projects_of_the_nearest_folder(
    path: str, kinds: list[str]
) -> None:
    found = projects(
        of({"pyproject.toml": "", "package.json": package("jest"), "tools/go.mod": "module t\n"})
    )

    assert [project.kind for project in concerned(found, [path])] == kinds


def test_changes_of_several_projects_concern_them_all() -> None:
    found = projects(of({"pyproject.toml": "", "web/package.json": package("jest")}))

    assert len(concerned(found, ["a.py", "web/a.js"])) == 2
