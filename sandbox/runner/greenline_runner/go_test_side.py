"""Running Go's tests: each package is built with our reporter in it, and all are built before one is run.

`go test -json` reads what the tests print, which a test can print as well: it is not used.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile

from greenline_runner.external import environment, report_of
from greenline_runner.go_cover import Profiles
from greenline_runner.go_overlay import write_overlay

_TEST = re.compile(r"^func ((?:Test|Fuzz|Example)\w*)\(", re.MULTILINE)
_BUILD_FLAGS = ("-race", "-tags", "-mod", "-ldflags", "-gcflags")
_TEST_FLAGS = ("-short", "-run", "-skip", "-parallel", "-cpu")
_SWITCHES = ("-race", "-short")
"""Those that are not followed by a value."""
_MAX_ALONE = 100
"""How many tests of a package are run one by one, where their coverage must be told apart."""
_VARIABLES = {
    "GOPROXY": "off",
    "GOSUMDB": "off",
    "GOFLAGS": "",
    "GOTOOLCHAIN": "local",
    "GOTELEMETRY": "off",
}


def missing(project, root):
    """Return why the runner cannot be had, or an empty text."""
    if shutil.which("go") is None:
        return "Go is not installed on this machine: install it, and see `greenline doctor`."
    if write_overlay(_go("env", "GOROOT").strip()) is None:
        return f"The package testing of {name(project, root)} is not known: its results cannot be read."
    return ""


def name(project, root):
    """Return the runner's name and version."""
    return "go test " + (re.findall(r"go(\d\S*)", _go("version")) or ["?"])[0]


def run(options, project, write):
    """Build and run the packages; write a record for each test, and return the exit code of the whole."""
    variables = {**_VARIABLES, **project["environment"]}
    packages = _packages(options.root, project["patterns"] or ["./..."], variables, write)
    wanted = {os.path.dirname(test.split("::")[0]) for test in options.selected}
    if wanted:
        packages = [package for package in packages if package.folder in wanted]
    folder = tempfile.mkdtemp(prefix="greenline-bin-")
    overlay = write_overlay(_go("env", "GOROOT").strip())
    built = []
    for number, package in enumerate(packages):
        binary = os.path.join(folder, f"{number}.test")
        complaint = _build(options, project, package, overlay, binary, variables)
        if complaint:
            for file in package.files or [package.folder or "."]:
                write({"kind": "collectError", "id": file, "message": complaint})
        elif os.path.exists(binary):
            built.append((package, binary, _digest(binary)))
    _report_unbuilt(options, project, packages if wanted else None, variables, write)
    profiles = Profiles(options.root, {package.path: package.folder for package in packages})
    code = 0
    for package, binary, digest in built:
        if _digest(binary) != digest:
            write({"kind": "intruder", "where": "runner"})
            continue
        code = max(code, _Run(options, project, package, binary, variables, profiles, write).run())
    write({"kind": "collectionEnd", "exit": 0})
    return code


class _Package:
    """One package with tests: where it is, and which file and line each test function is in."""

    def __init__(self, path, folder, files, root):
        self.path = path
        self.folder = folder
        self.files = [os.path.join(folder, file).replace(os.sep, "/") for file in files]
        self.places = {}
        for file in self.files:
            with open(os.path.join(root, file), encoding="utf-8", errors="replace") as source:
                text = source.read()
            for match in _TEST.finditer(text):
                self.places[match.group(1)] = file, text.count("\n", 0, match.start()) + 1

    def id_of(self, test):
        """Return the id of a test, whose name has a slash before each of its subtests."""
        function, *subtests = test.split("/")
        file, _ = self.places.get(function, (self.folder or ".", 0))
        return "::".join([file, function, *subtests])


def _packages(root, patterns, variables, write):
    """Return the packages that have tests; one that cannot be read is a collection error."""
    done = subprocess.run(
        ["go", "list", "-e", "-json", *patterns],
        stdin=subprocess.DEVNULL, capture_output=True, cwd=root, env=environment(variables), check=False,
    )  # fmt: skip
    found, decoder, text = [], json.JSONDecoder(), done.stdout.decode("utf-8", "replace").lstrip()
    while text:
        entry, end = decoder.raw_decode(text)
        text = text[end:].lstrip()
        files = entry.get("TestGoFiles", []) + entry.get("XTestGoFiles", [])
        folder = os.path.relpath(entry.get("Dir") or root, root)
        if files and entry.get("ImportPath"):
            found.append(_Package(entry["ImportPath"], "" if folder == "." else folder, files, root))
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace")[-4000:]
        write({"kind": "collectError", "id": "go.mod", "message": message})
    return found


def _build(options, project, package, overlay, binary, variables):
    """Build a package's tests; return the compiler's complaint, or an empty text."""
    cover = ["-cover", "-coverpkg=./..."] if options.coverage else []
    argv = ["go", "test", "-c", "-vet=off", "-overlay=" + overlay, "-o", binary, *cover]
    done = subprocess.run(
        [*argv, *known_flags(project, _BUILD_FLAGS), "./" + package.folder],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        cwd=options.root, env=environment(variables), check=False,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")[-4000:] or "The build failed." if done.returncode else ""


def _report_unbuilt(options, project, packages, variables, write):
    """Write a record for each package that does not build without its tests: of `packages`, or of all.

    Only the compiler is asked, and not the linker.
    """
    chosen = ["./" + package.folder for package in packages or []] or project["patterns"] or ["./..."]
    template = "{{if or .GoFiles .CgoFiles}}{{if not .Export}}{{.ImportPath}}\t{{.Dir}}{{end}}{{end}}"
    done = subprocess.run(
        ["go", "list", "-e", "-export", *known_flags(project, _BUILD_FLAGS), "-f", template, *chosen],
        stdin=subprocess.DEVNULL, capture_output=True,
        cwd=options.root, env=environment(variables), check=False,
    )  # fmt: skip
    sections = re.split(r"^# (.*)\n", done.stderr.decode("utf-8", "replace"), flags=re.MULTILINE)
    complaints = {sections[n]: sections[n + 1] for n in range(1, len(sections) - 1, 2)}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        path, _, folder = line.partition("\t")
        message = complaints.get(path, "").strip()[-4000:]
        # What only imports a package that does not build is that package's affair.
        if message:
            place = os.path.relpath(folder, options.root).replace(os.sep, "/")
            write({"kind": "unbuilt", "id": place, "message": message})


class _Run:
    """The runs of one package's binary."""

    def __init__(self, options, project, package, binary, variables, profiles, write):
        self._options = options
        self._package = package
        self._variables = variables
        self._profiles = profiles
        self._write = write
        self._folder = os.path.join(options.root, package.folder)
        flags = ["-test." + flag.lstrip("-") for flag in known_flags(project, _TEST_FLAGS)]
        self._argv = [binary, "-test.paniconexit0", *flags]
        self._profile = binary + ".cover"

    def run(self):
        """Run the tests that are wanted; return the package's part of the exit code."""
        told = self._told(self._selection())
        for _ in range(min(told.n_intruders, 20)):
            self._write({"kind": "intruder", "where": "runner"})
        tests = [record for record in told.records if record.get("kind") == "test"]
        for record in tests:
            self._report(record)
        n_broken = sum(record["outcome"] == "failed" for record in tests)
        where = self._package.folder or "."
        if not told.is_complete:
            message = f"The tests of {where} ended before the last (exit code {told.exit_code})."
            self._write({"kind": "died", "message": message})
        elif told.exit_code and not n_broken:
            message = f"The tests of {where} ended with exit code {told.exit_code}, outside of every test."
            self._write({"kind": "collectError", "id": where, "message": message})
        if self._options.coverage and told.is_complete:
            self._cover(tests)
        return 1 if n_broken else 0

    def _told(self, selection):
        cover = ["-test.coverprofile=" + self._profile] if self._options.coverage else []
        if os.path.exists(self._profile):
            os.unlink(self._profile)
        return report_of([*self._argv, *cover, *selection], self._variables, self._folder)

    def _selection(self):
        functions = {test.split("::")[1] for test in self._options.selected if "::" in test}
        files = [test for test in self._options.selected if "::" not in test]
        bare = [file for file in files if os.path.dirname(file) == self._package.folder]
        if not functions or bare:
            return []
        return ["-test.run=^(" + "|".join(sorted(map(re.escape, functions))) + ")$"]

    def _report(self, record):
        test = self._package.id_of(record["name"])
        file, line = self._package.places.get(record["name"].split("/")[0], (None, 0))
        result = {"kind": "test", "id": test, "outcome": record["outcome"], "duration": record["duration"]}
        if file:
            result.update(file=file, line=line)
        if record["message"]:
            result["message"] = record["message"]
        self._write({"kind": "collected", "ids": [test]})
        self._write(result)

    def _cover(self, tests):
        """Say what the tests executed together where all pass; where not, what each executes alone."""
        passed = [record["name"] for record in tests if record["outcome"] == "passed"]
        if all(record["outcome"] != "failed" for record in tests):
            self._say(passed, self._profiles.executed(self._profile))
            return
        functions = dict.fromkeys(test.split("/")[0] for test in passed)
        for function in list(functions)[:_MAX_ALONE]:
            if function not in passed:
                continue
            told = self._told([f"-test.run=^{re.escape(function)}$"])
            alone = [record for record in told.records if record.get("kind") == "test"]
            if told.is_complete and alone and all(record["outcome"] != "failed" for record in alone):
                of_function = [test for test in passed if test.split("/")[0] == function]
                self._say(of_function, self._profiles.executed(self._profile))

    def _say(self, tests, files):
        self._write({"kind": "contexts", "of": "suite"})
        for test in tests if files else ():
            self._write({"kind": "cov", "id": self._package.id_of(test), "files": files})


def known_flags(project, known):
    """Return those of the test command's flags that are known, each with its value in the same word."""
    found, flags = [], list(project["flags"])
    while flags:
        flag = flags.pop(0)
        plain = "-" + flag.lstrip("-")
        if not flag.startswith("-") or plain.split("=")[0] not in known:
            continue
        if "=" not in plain and plain not in _SWITCHES and flags:
            plain += "=" + flags.pop(0)
        found.append(plain)
    return found


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _go(*arguments):
    done = subprocess.run(
        ["go", *arguments], stdout=subprocess.PIPE, env=environment(_VARIABLES), check=False
    )
    return done.stdout.decode("utf-8", "replace")
