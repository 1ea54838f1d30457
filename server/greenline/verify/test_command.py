"""A test command as people write it → the runner that it starts and what it tells it; pure.

Nothing is run, and what a shell would expand is left as it is. A command may call others by name
(`npm test`, a script of `package.json`): whoever reads it says what these are.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

import attrs

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WRAPPERS = frozenset(
    {"npx", "bunx", "cross-env", "c8", "nyc", "env", "dotenv", "time", "xvfb-run", "exec", "run", "dlx", "--"}
)
"""Words that only prepare what follows them."""
_MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_PYTHON_MANAGERS = frozenset({"uv", "poetry", "pdm", "hatch", "pipenv"})
_UNKNOWN = frozenset(
    {"ava", "tap", "tape", "karma", "jasmine", "playwright", "cypress", "uvu", "lab", "deno"}
)
_MAX_DEPTH = 5
_SEPARATORS = ";|&"


@attrs.frozen
class _Options:
    """What must be known of a runner's options to tell them from files."""

    valued: frozenset[str]
    """Those that are followed by their value."""
    dropped: frozenset[str] = frozenset()
    """Those that only say how to watch, to repeat or to report; their values go with them."""


_NODE = _Options(
    frozenset([
        "-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions",
        "--env-file",
        "--test-name-pattern", "--test-skip-pattern", "--test-reporter", "--test-reporter-destination",
        "--test-concurrency", "--test-timeout", "--test-shard", "--test-isolation", "--watch-path",
        "--test-coverage-branches", "--test-coverage-functions", "--test-coverage-lines",
        "--test-coverage-include", "--test-coverage-exclude",
    ]),
    frozenset([
        "--watch", "--watch-path", "--watch-preserve-output", "--experimental-test-coverage", "--test",
        "--test-reporter", "--test-reporter-destination", "--test-concurrency", "--test-timeout",
        "--test-shard", "--test-isolation", "--test-force-exit", "--test-coverage-branches",
        "--test-coverage-functions", "--test-coverage-lines", "--test-coverage-include",
        "--test-coverage-exclude",
    ]),
)  # fmt: skip
_KEPT = ("--test-only", "--test-name-pattern", "--test-skip-pattern")
_REPORTING = frozenset([
    "--bail", "--ci", "--colors", "--coverage", "--json", "--parallel", "--passWithNoTests", "--reporter",
    "--reporters", "--run", "--silent", "--verbose", "--watch", "-b", "-w",
])  # fmt: skip
_JS = {
    "jest": _Options(
        frozenset([
            "-c", "--config", "--rootDir", "--testPathPattern", "--testPathPatterns", "-t",
            "--testNamePattern", "--testPathIgnorePatterns", "--selectProjects", "--env",
            "--testEnvironment", "--testTimeout", "--maxWorkers", "-w", "--reporters",
            "--coverageReporters", "--coverageDirectory", "--outputFile", "--shard",
        ]),
        _REPORTING | {"--runInBand", "-i", "--maxWorkers", "--forceExit", "--detectOpenHandles",
                      "--outputFile"},
    ),
    "vitest": _Options(
        frozenset([
            "-c", "--config", "-r", "--root", "--dir", "-t", "--testNamePattern", "--project",
            "--environment", "--reporter", "--outputFile", "--pool", "--testTimeout", "--hookTimeout",
            "--retry", "--mode", "--shard", "--exclude", "--bail", "--maxWorkers", "--minWorkers",
        ]),
        _REPORTING | {"--maxWorkers", "--minWorkers", "--outputFile"},
    ),
    "mocha": _Options(
        frozenset([
            "-r", "--require", "--config", "--package", "--extension", "--spec", "--file", "--ignore",
            "--exclude", "-g", "--grep", "-f", "--fgrep", "--import", "--ui", "-u", "--timeout", "-t",
            "--slow", "-s", "--retries", "--reporter", "-R", "--reporter-option", "--reporter-options",
            "-O", "--jobs", "-j", "--watch-files", "--watch-ignore",
        ]),
        _REPORTING | {"-R", "--reporter-option", "--reporter-options", "-O", "-p", "--jobs", "-j",
                      "--watch-files", "--watch-ignore"},
    ),
}  # fmt: skip
_GO = _Options(
    frozenset([
        "-run", "-skip", "-tags", "-timeout", "-count", "-p", "-parallel", "-cpu", "-mod", "-modfile",
        "-ldflags", "-gcflags", "-asmflags", "-coverprofile", "-covermode", "-coverpkg", "-o", "-exec",
        "-bench", "-benchtime", "-shuffle", "-fuzz", "-fuzztime", "-vet", "-outputdir", "-cpuprofile",
        "-memprofile", "-C",
    ])
)  # fmt: skip
_PYTHON = _Options(frozenset({"-k", "-m", "-p", "-c", "-o", "-n"}))


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
    for words in _pieces(text):
        found = _read(words, scripts or {}, depth)
        if found is not None and found.is_known:
            return found
        unknown = unknown or found
    return unknown


def _pieces(text: str) -> Iterator[list[str]]:
    """Yield the words of each command of a text; what a shell would not read is passed over."""
    for line in text.split("\n"):
        lexer = shlex.shlex(line, posix=True, punctuation_chars=_SEPARATORS)
        lexer.whitespace_split = True
        words: list[str] = []
        try:
            for word in lexer:
                if not word or word.strip(_SEPARATORS):
                    words.append(word)
                else:
                    yield words
                    words = []
        except ValueError:
            continue
        yield words


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
            return _program(_Call(program, rest, tuple(variables), scripts, depth))
    return None


def _script(rest: Sequence[str], scripts: Mapping[str, str]) -> str | None:
    """Return the script that a package manager's words call, if any."""
    names = [word for word in rest if not word.startswith("-") and word not in ("run", "run-script")]
    name = {"t": "test", "tst": "test"}.get(names[0], names[0]) if names else ""
    return name if name in scripts else None


@attrs.frozen
class _Call:
    """One program and its words, with what a command may call by name."""

    program: str
    words: list[str]
    variables: tuple[tuple[str, str], ...]
    scripts: Mapping[str, str]
    depth: int


def _program(call: _Call) -> TestCommand | None:
    program, rest = call.program, call.words
    if program in ("node", "tsx", "ts-node"):
        return _node(call)
    if program in _JS or program == "_mocha":
        runner = program.lstrip("_")
        flags, patterns = _split(rest, _JS[runner])
        if runner == "vitest":
            patterns = tuple(word for word in patterns if word not in ("run", "watch", "dev"))
        return TestCommand(runner, flags, patterns, call.variables)
    if program == "go" and rest[:1] == ["test"]:
        return TestCommand("go test", *_split(rest[1:], _GO), call.variables)
    if re.fullmatch(r"python[\d.]*|coverage", program) and "-m" in rest:
        module, *after = rest[rest.index("-m") + 1 :] or [""]
        return _python(module, after, call.variables)
    if program in ("pytest", "py.test"):
        return _python("pytest", rest, call.variables)
    if program in _UNKNOWN:
        return TestCommand(program, is_known=False)
    if program in ("mvn", "gradle", "gradlew"):
        return TestCommand("junit", environment=call.variables)
    return None


def _python(module: str, rest: Sequence[str], variables: tuple[tuple[str, str], ...]) -> TestCommand | None:
    if module not in ("pytest", "unittest"):
        return None
    return TestCommand(module, *_split(rest, _PYTHON), variables)


def _node(call: _Call) -> TestCommand | None:
    rest = call.words
    flags, patterns = _split(rest, _NODE)
    if "--test" not in rest:
        # Options of Node's own, and then a program: `node --experimental-vm-modules node_modules/.bin/jest`.
        at = rest.index(patterns[0]) if patterns else len(rest)
        can_read = patterns and call.depth < _MAX_DEPTH
        inner = _read(rest[at:], call.scripts, call.depth + 1) if can_read else None
        options = " ".join(flag for flag in flags if flag in rest[:at])
        if inner is None or not inner.is_known or not options:
            return inner
        variables = (*call.variables, ("NODE_OPTIONS", options), *inner.environment)
        return attrs.evolve(inner, environment=variables)
    # What a newer Node has of these says how to run and report, which is not the project's to say here.
    kept = tuple(flag for flag in flags if flag.startswith(_KEPT) or not flag.startswith("--test"))
    loader = {"tsx": ("--import", "tsx"), "ts-node": ("--require", "ts-node/register")}
    return TestCommand("node:test", (*loader.get(call.program, ()), *kept), patterns, call.variables)


def _split(words: Sequence[str], options: _Options) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options that are kept, with their values, and the other words."""
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
        option = [word]
        if word in options.valued and rest:
            option.append(rest.pop(0))
        if word.partition("=")[0] not in options.dropped:
            flags += option
    return tuple(flags), tuple(others)
