"""A test command as people write it → the runner that it starts and what it tells it; pure.

Nothing is run, and what a shell would expand is left as it is. A command may call others by name
(`npm test`, a script of `package.json`): whoever reads it says what these are.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

import attrs

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRAPPERS = frozenset(
    {"npx", "bunx", "cross-env", "c8", "nyc", "env", "dotenv", "time", "xvfb-run", "exec", "run", "dlx", "--"}
)
"""Words that only prepare what follows them."""
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_PYTHON_MANAGERS = frozenset({"uv", "poetry", "pdm", "hatch", "pipenv"})
_JS = frozenset({"jest", "vitest", "mocha"})
_UNKNOWN = frozenset(
    {"ava", "tap", "tape", "karma", "jasmine", "playwright", "cypress", "uvu", "lab", "deno"}
)
_TAKES_VALUE = frozenset(
    {"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file"}
)
_OURS = (
    "--test",
    "--watch",
    "--experimental-test-coverage",
    "--test-reporter",
    "--test-concurrency",
    "--test-timeout",
    "--test-shard",
    "--test-coverage",
    "--test-force-exit",
    "--test-isolation",
)
"""Options of Node's that say how to run and report, which is not the project's to say here."""
_KEPT = ("--test-only", "--test-name-pattern", "--test-skip-pattern")
_MAX_DEPTH = 5
_JS_VALUES = {
    "jest": frozenset(["-c", "--config", "--rootDir", "--testPathPattern", "-t", "--selectProjects"]),
    "vitest": frozenset(["-c", "--config", "-r", "--root", "--dir", "-t", "--project", "--environment"]),
    "mocha": frozenset(
        [
            "-r",
            "--require",
            "--config",
            "-c",
            "--extension",
            "--spec",
            "--file",
            "-g",
            "--grep",
            "--import",
            "--ui",
            "-u",
            "--timeout",
            "-t",
        ]
    ),
}
"""Options that are followed by their value."""
_JS_DROPPED = frozenset(
    [
        "--watch",
        "--coverage",
        "--ci",
        "--reporter",
        "-R",
        "--silent",
        "--verbose",
        "--bail",
        "-b",
        "--run",
        "--passWithNoTests",
        "--maxWorkers",
        "-w",
        "--runInBand",
        "-i",
        "--parallel",
        "--forceExit",
        "--detectOpenHandles",
        "--colors",
        "--reporters",
        "--json",
    ]
)
"""Options that only say how to watch, to repeat or to report."""


@attrs.frozen
class TestCommand:
    """What a command comes to."""

    __test__ = False

    runner: str
    """The runner's name, or the unknown program's."""
    flags: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    is_known: bool = True


def read_command(text: str, scripts: Mapping[str, str] | None = None, depth: int = 0) -> TestCommand | None:
    """Return the first runner that a command starts, or None where it starts none."""
    unknown: TestCommand | None = None
    for piece in re.split(r"&&|\|\||;|\n|(?<!\|)\|(?!\|)", text):
        try:
            words = shlex.split(piece, comments=True)
        except ValueError:
            continue
        found = _read(words, scripts or {}, depth)
        if found is not None and found.is_known:
            return found
        unknown = unknown or found
    return unknown


def _read(words: Sequence[str], scripts: Mapping[str, str], depth: int) -> TestCommand | None:
    variables: list[tuple[str, str]] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        program = word.rpartition("/")[2].removesuffix(".js").removesuffix(".mjs").removesuffix(".cmd")
        if _ASSIGNMENT.match(word):
            name, _, value = word.partition("=")
            variables.append((name, value))
        elif program in _MANAGERS:
            called = _script(rest, scripts)
            if called is not None:
                inner = read_command(scripts[called], scripts, depth + 1) if depth < _MAX_DEPTH else None
                return inner and attrs.evolve(inner, environment=(*variables, *inner.environment))
        elif program in _WRAPPERS or program in _PYTHON_MANAGERS or word.startswith("-"):
            continue
        else:
            return _program(program, rest, tuple(variables), scripts, depth)
    return None


def _script(rest: Sequence[str], scripts: Mapping[str, str]) -> str | None:
    """Return the script that a package manager's words call, if any."""
    names = [word for word in rest if not word.startswith("-") and word not in ("run", "run-script")]
    name = {"t": "test", "tst": "test"}.get(names[0], names[0]) if names else ""
    return name if name in scripts else None


def _program(
    program: str,
    rest: list[str],
    variables: tuple[tuple[str, str], ...],
    scripts: Mapping[str, str],
    depth: int,
) -> TestCommand | None:
    if program in ("node", "tsx", "ts-node"):
        return _node(program, rest, variables, scripts, depth)
    if program in _JS or program == "_mocha":
        return TestCommand(program.lstrip("_"), *_split_js(program, rest), variables)
    if program == "go" and rest[:1] == ["test"]:
        flags, patterns = _split(rest[1:], frozenset({"-run", "-tags", "-timeout", "-count", "-p"}))
        return TestCommand("go test", flags, patterns, variables)
    if re.fullmatch(r"python[\d.]*|coverage", program) and "-m" in rest:
        module, *after = rest[rest.index("-m") + 1 :] or [""]
        return _python(module, after, variables)
    if program in ("pytest", "py.test"):
        return _python("pytest", rest, variables)
    if program in _UNKNOWN:
        return TestCommand(program, is_known=False)
    if program in ("mvn", "gradle", "gradlew"):
        return TestCommand("junit", environment=variables)
    return None


def _python(module: str, rest: Sequence[str], variables: tuple[tuple[str, str], ...]) -> TestCommand | None:
    if module not in ("pytest", "unittest"):
        return None
    flags, patterns = _split(rest, frozenset({"-k", "-m", "-p", "-c", "-o", "-n"}))
    return TestCommand(module, flags, patterns, variables)


def _node(
    program: str,
    rest: list[str],
    variables: tuple[tuple[str, str], ...],
    scripts: Mapping[str, str],
    depth: int,
) -> TestCommand | None:
    flags, patterns = _split(rest, _TAKES_VALUE)
    if "--test" not in flags:
        # Options of Node's own, and then a program: `node --experimental-vm-modules node_modules/.bin/jest`.
        at = rest.index(patterns[0]) if patterns else len(rest)
        inner = _read(rest[at:], scripts, depth + 1) if patterns and depth < _MAX_DEPTH else None
        options = " ".join(flag for flag in flags if flag in rest[:at])
        if inner is None or not inner.is_known or not options:
            return inner
        return attrs.evolve(inner, environment=(*variables, ("NODE_OPTIONS", options), *inner.environment))
    kept = tuple(flag for flag in flags if flag.startswith(_KEPT) or not flag.startswith(_OURS))
    loader = {"tsx": ("--import", "tsx"), "ts-node": ("--require", "ts-node/register")}.get(program, ())
    return TestCommand("node:test", (*loader, *kept), patterns, variables)


def _split(words: Sequence[str], takes_value: frozenset[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return options, those with their values, and the other words."""
    flags: list[str] = []
    others: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            others += rest
            break
        if not word.startswith("-") or word == "-":
            others.append(word)
            continue
        flags.append(word)
        if word in takes_value and rest:
            flags.append(rest.pop(0))
    return tuple(flags), tuple(others)


def _split_js(program: str, rest: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return a JavaScript runner's options and files; options that only watch or report are left out."""
    flags, patterns = _split(rest, _JS_VALUES.get(program, _JS_VALUES["mocha"]))
    kept = [flag for flag in flags if flag.split("=")[0] not in _JS_DROPPED]
    if program == "vitest":
        patterns = tuple(word for word in patterns if word not in ("run", "watch", "dev"))
    return tuple(kept), patterns
