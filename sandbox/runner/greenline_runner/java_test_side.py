"""Running Java's tests by JUnit's launcher: all is compiled first, then each module's tests run in a JVM.

Reports that tests could write as well, such as Surefire's files of XML, are not used.
"""

import os
import re
import shutil

from greenline_runner import java_cover
from greenline_runner.external import report_of
from greenline_runner.java_build import MODULE, Build
from greenline_runner.java_junit import GROUPS, choose, engines, named
from greenline_runner.java_layout import modules
from greenline_runner.java_name import Names
from greenline_runner.java_pom import BadPom
from greenline_runner.java_repository import Repositories
from greenline_runner.java_tool import java_version

_OLDEST = 11
_FLAGS = ("-ea", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Djava.awt.headless=true")
_STATE = {}
"""Root → what is known of the project there; a process drives one."""


class _Project:
    """What was found about a project before anything of it is compiled."""

    def __init__(self, root):
        self.repositories = Repositories(
            os.environ.get("GREENLINE_MAVEN", ""), os.environ.get("GREENLINE_GRADLE", "")
        )
        self.build = None
        self.junits = {}
        self.agent = None
        self.notes = []
        self.modules = []
        self.problem = self._problem(root)

    def _problem(self, root):
        """Look everything up; return why the tests cannot run, or an empty text."""
        if shutil.which("javac") is None or shutil.which("java") is None:
            return "No JDK is installed on this machine (`javac`): install one, and see `greenline doctor`."
        number = re.match(r"(?:1\.)?(\d+)", java_version())
        if number is None or int(number.group(1)) < _OLDEST:
            return f"The JDK is too old here: {_OLDEST} or newer is needed."
        try:
            self.modules = modules(root, self.repositories)
        except BadPom as error:
            return f"The project cannot be read offline: {error}."
        tested = [module for module in self.modules if module.files(module.test_sources)]
        for module in self.modules:
            if module.foreign():
                return f"{module.foreign()} is not Java, and nothing else is compiled here."
            missing = [d for d in module.path.missing if d.group not in GROUPS]
            missing += module.processor_path.missing
            if missing and (module in tested or any(module.key in _needed(self.modules, t) for t in tested)):
                return _missing_words(module, missing, self.repositories)
        for module in tested:
            groups = {group for group, _ in module.path.jars}
            if "org.testng" in groups and not any(g.startswith(("org.junit", "junit")) for g in groups):
                return "The tests are TestNG's, which are not run here."
            junit = choose(module, self.repositories)
            if junit is None:
                return (
                    "JUnit's launcher is not there: neither ~/.m2/repository has junit-platform-launcher and"
                    " the engines in the project's version, nor has this machine them (Debian: junit5)."
                )
            self.junits[module.key] = junit
            self._note(module, junit)
        self.agent = java_cover.find_agent(self.repositories)
        return ""

    def _note(self, module, junit):
        wanted = named(module)
        if junit.whose == "machine" and wanted not in ("", junit.version):
            self.notes.append(f"JUnit is this machine's {junit.version}, and the project names {wanted}.")
        self.notes += module.model.notes
        unrun = [name for name in _plugins(module) if not name.startswith("maven-")]
        if unrun:
            self.notes.append(f"Plugins of the build that were not run: {', '.join(unrun[:5])}.")


def missing(project, root):
    """Return why the runner cannot be had, or an empty text."""
    return _project(root).problem


def name(project, root):
    """Return the runner's name and version."""
    found = _project(root)
    junits = {f"JUnit {junit.version} ({junit.whose})": None for junit in found.junits.values()}
    cover = f", JaCoCo {found.agent.version}" if found.agent else ""
    return f"{', '.join(junits) or 'JUnit'}, javac {java_version()}{cover}"


def run(options, project, write):
    """Compile and run the tests; write a record for each, and return the exit code of the whole."""
    found = _project(options.root)
    if found.build is None:
        for note in dict.fromkeys(found.notes):
            write({"kind": "note", "text": note})
        if found.junits and found.agent is None:
            text = "JaCoCo is not on this machine, so that nobody knows which lines tests execute."
            write({"kind": "note", "text": text})
        core = found.agent.core if found.agent else ()
        found.build = Build(options.root, found.modules, found.junits, core)
        if found.junits:
            found.problem = _compiled(found.build)
    if found.problem:
        write({"kind": "collectError", "id": "(collection)", "message": found.problem})
        return 1
    wanted = {test.split("::")[0] for test in options.selected}
    for file, complaint in sorted(found.build.broken.items()):
        if not wanted or file in wanted:
            write({"kind": "collectError", "id": file, "message": complaint})
    code, cover = 0, _Cover(options, found)
    for module in found.modules:
        if module.key in found.junits:
            code = max(code, _Run(options, project, module, found, cover, write).run())
    cover.write(write)
    # Later rounds compile and measure nothing.
    found.build.tool.close()
    write({"kind": "collectionEnd", "exit": 0})
    return code


def _compiled(build):
    """Compile everything; return why our own reporter cannot be, or an empty text."""
    try:
        build.compile()
    except RuntimeError as error:
        return str(error)
    return ""


def _project(root):
    if root not in _STATE:
        _STATE[root] = _Project(root)
    return _STATE[root]


def _needed(every, module):
    """Return the keys of the modules that a module needs, directly or over others."""
    known = {other.key: other for other in every}
    found, waiting = set(), [module]
    while waiting:
        for group, artifact, _ in waiting.pop().path.modules:
            if (group, artifact) not in found:
                found.add((group, artifact))
                waiting.append(known[group, artifact])
    return found


def _missing_words(module, missing, repositories):
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    shown = ", ".join(str(dependency) for dependency in missing[:3])
    bom = module.model.properties.get("//missing", "")
    of_bom = f" {bom}, which gives versions, is not there either." if bom else ""
    remedy = "Build the project once with its own tool, so that they are in ~/.m2 or ~/.gradle."
    closed = [
        p for p in (repositories.maven, repositories.gradle) if p and not os.access(p, os.R_OK | os.X_OK)
    ]
    if closed:
        remedy = f"{closed[0]} is there, and the user that tests run as may not read it: `chmod -R o+rX` it."
    return f"In no local repository: {shown}{more}.{of_bom} {remedy}"


def _plugins(module):
    """Return the names of plugins that do something of their own in a build."""
    return sorted(
        {
            (plugin.findtext("artifactId") or "").strip()
            for plugin in module.model.plugins
            if plugin.find("executions") is not None
        }
        - {"jacoco-maven-plugin", ""}
    )


class _Cover:
    """What the tests of all modules executed, looked up in the end and at once."""

    def __init__(self, options, found):
        self._root = options.root
        self._found = found
        self.agent = found.agent if options.coverage else None
        self._tests = []
        self._data = {}

    def add(self, test, data):
        """Remember what a test's counts are."""
        self._data[len(self._tests)] = data
        self._tests.append(test)

    def write(self, write):
        """Write a record for each test that executed something."""
        if self.agent is None or not self._data:
            return
        roots = [module.sources for module in self._found.modules]
        folders = self._found.build.class_folders()
        tool = self._found.build.tool
        found = java_cover.executed(tool, folders, self._data, roots, self._root)
        for number, files in sorted(found.items()):
            write({"kind": "cov", "id": self._tests[number], "files": files})
        if not found and folders:
            text = (
                f"JaCoCo {self.agent.version} saw no line executed:"
                f" it may be too old for the classes that JDK {java_version()} makes."
            )
            write({"kind": "note", "text": text})


class _Run:
    """The run of one module's tests."""

    def __init__(self, options, project, module, found, cover, write):
        self._options = options
        self._module = module
        self._build = found.build
        self._junit = found.junits[module.key]
        self._cover = cover
        self._write = write
        self._variables = {**module.variables(), **project["environment"]}
        self._names = Names(module, set(found.build.broken))
        self._told = set()

    def run(self):
        """Run the tests that are wanted; return the module's part of the exit code."""
        classes = self._names.classes(self._options.selected)
        if not classes:
            return 0
        runner = self._build.runner(self._junit)
        digest = self._build.digest()
        told = report_of(self._argv(runner, classes), self._variables, self._module.place)
        n_intruders = told.n_intruders + (self._build.digest() != digest)
        for _ in range(min(n_intruders, 20)):
            self._write({"kind": "intruder", "where": "runner"})
        last, n_broken = "", 0
        for record in told.records:
            if record.get("kind") == "started":
                last = self._names.id_of(record)
            elif record.get("kind") == "broken":
                n_broken += 1
                file = self._names.file_of(record["class"]) or "(collection)"
                self._write({"kind": "collectError", "id": file, "message": record["message"]})
            elif record.get("kind") == "test":
                n_broken += record["outcome"] in ("failed", "error")
                self._report(record)
            elif record.get("kind") == "executed" and self._cover.agent is not None:
                self._cover.add(self._names.id_of(record), record["data"])
        where = self._module.folder or "."
        if not told.is_complete:
            during = f", during {last}" if last else ""
            message = f"The tests of {where} ended before the last (exit code {told.exit_code}{during})."
            self._write({"kind": "died", "message": message})
        elif told.exit_code and not n_broken:
            message = f"The tests of {where} ended with exit code {told.exit_code}, outside of every test."
            self._write({"kind": "collectError", "id": where, "message": message})
        return 1 if n_broken else 0

    def _argv(self, runner, classes):
        spec = os.path.join(runner, f"spec-{len(os.listdir(runner))}")
        with open(spec, "w", encoding="utf-8") as file:
            jars = [path for path in self._build.test_path(self._module) if path.endswith(".jar")]
            file.writelines(f"engine {name}\n" for name in engines(jars))
            file.writelines(f"class {name}\n" for name in classes)
            file.writelines(f"method {name}\n" for name in self._names.methods(self._options.selected))
        agent = self._cover.agent
        folders = self._build.class_folders()
        return [
            "java",
            *_FLAGS,
            *([agent.option(folders)] if agent is not None and folders else []),
            "-Dbasedir=" + self._module.place,
            *self._module.options(),
            "--module-path", runner,
            "--add-reads", MODULE + "=ALL-UNNAMED",
            "--add-modules", "ALL-DEFAULT",
            "-cp", os.pathsep.join(self._build.test_path(self._module)),
            "-m", f"{MODULE}/{MODULE}.Main",
            spec,
            *(["cover"] if agent is not None and folders else []),
        ]  # fmt: skip

    def _report(self, record):
        test = self._names.id_of(record)
        while test in self._told:
            test += "[again]"
        self._told.add(test)
        wanted = self._options.selected
        if wanted and not any(test == s or test.startswith((s + "::", s + "[")) for s in wanted):
            return
        file = self._names.file_of(record["class"])
        result = {"kind": "test", "id": test, "outcome": record["outcome"], "duration": record["duration"]}
        if file:
            result.update(file=file)
            line = self._names.line_of(record)
            if line:
                result["line"] = line
        if record["message"] and record["outcome"] != "passed":
            result["message"] = record["message"]
        self._write({"kind": "collected", "ids": [test]})
        self._write(result)
