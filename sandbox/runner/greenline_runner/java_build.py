"""Compiling a Java project by `javac`, module by module: the product first, by itself, then its tests.

A file of tests that does not compile is left out, so that the others still have an outcome.
"""

import glob
import hashlib
import os
import re
import shutil
import tempfile

from greenline_runner.java_junit import GROUPS, ahead
from greenline_runner.java_resource import copy_resources
from greenline_runner.java_tool import HERE, Tool, java_version

MODULE = "greenline.runner"
_ERROR = re.compile(r"^(\S.*?\.java):(\d+): error:", re.MULTILINE)
_MAX_TRIES = 5


class Build:
    """What was compiled, and what was not."""

    def __init__(self, root, modules, junits, core=()):
        self.root = root
        self.modules = modules
        self.junits = junits
        """Key of a module → its JUnit; those without tests have none."""
        self.broken = {}
        """File of tests, relative to the root → why it does not compile."""
        self.library = sorted({path for module in modules for path in _jars(module.place)})
        self.tool = Tool(root, core)
        self._runners = {}
        self._known = {module.key: module for module in modules}

    def compile(self):
        """Compile everything, our reporter first: nothing of the project is at work by then."""
        for junit in self.junits.values():
            self.runner(junit)
        for module in self.modules:
            complaint = self._compile_main(module)
            tests = module.files(module.test_sources)
            if complaint:
                # Nobody's tests can run without it, wherever the module is needed.
                for other in self.modules:
                    if other is module or self._needs(other, module):
                        self._break(other.files(other.test_sources), complaint)
                continue
            if tests and not set(tests) & self.broken.keys():
                self._compile_tests(module, tests)
        self.tool.rest()

    def runner(self, junit):
        """Return the folder of our reporter, compiled for a JUnit; raises `RuntimeError`."""
        key = tuple(junit.jars)
        if key not in self._runners:
            sources, folder = (tempfile.mkdtemp(prefix="greenline-java-") for _ in range(2))
            for name in os.listdir(HERE):
                if name != "Tool.java.txt":
                    shutil.copyfile(os.path.join(HERE, name), os.path.join(sources, name[: -len(".txt")]))
            complaint = self.tool.compile(
                ["--add-reads", MODULE + "=ALL-UNNAMED", "-encoding", "UTF-8", *_class_path(junit.jars)],
                folder,
                sorted(os.path.join(sources, name) for name in os.listdir(sources)),
            )
            if complaint:
                raise RuntimeError(complaint)
            self._runners[key] = folder
        return self._runners[key]

    def test_path(self, module):
        """Return the class path that a module's tests run with."""
        first = ahead(module, self.junits[module.key])
        rest = [module.test_classes, module.classes, *self._around(module, module.path)]
        return list(dict.fromkeys([*first, *rest, *self.library]))

    def class_folders(self):
        """Return the folders of compiled product code of all modules."""
        return [module.classes for module in self.modules if os.path.isdir(module.classes)]

    def digest(self):
        """Return a hash of all that was compiled and of the project's own jars."""
        found = hashlib.sha256()
        folders = [folder for m in self.modules for folder in (m.classes, m.test_classes)]
        for folder in [*folders, *self._runners.values()]:
            for place, inner, names in os.walk(folder):
                inner.sort()
                for name in sorted(names):
                    if name.endswith(".class") or "/META-INF" in place:
                        _take(found, os.path.join(place, name))
        for path in self.library:
            _take(found, path)
        return found.hexdigest()

    def _needs(self, module, other):
        seen, waiting = set(), [module]
        while waiting:
            for group, artifact, _ in waiting.pop().path.modules:
                if (group, artifact) == other.key:
                    return True
                if (group, artifact) not in seen:
                    seen.add((group, artifact))
                    waiting.append(self._known[group, artifact])
        return False

    def _around(self, module, path, seen=frozenset()):
        """Return the folders and jars that a class path consists of, those of other modules with theirs."""
        found = []
        for group, artifact, with_tests in path.modules:
            if (group, artifact) in seen:
                continue
            other = self._known[group, artifact]
            found += [other.test_classes] if with_tests else []
            found += [other.classes, *self._around(other, other.main_path, seen | {module.key})]
        jars = path.jars.items()
        return found + [jar for (group, _), (_, jar) in jars if not self._is_junit(module, group)]

    def _is_junit(self, module, group):
        """Return whether a jar belongs to the JUnit that is chosen for a module in its place."""
        junit = self.junits.get(module.key)
        if junit is None or group not in GROUPS:
            return False
        return junit.whose == "machine" or group.startswith("org.junit")

    def _compile_main(self, module):
        copy_resources(module.resources("main"), module.classes, module.model)
        files = module.files(module.sources)
        if not files:
            return ""
        path = [*self._around(module, module.main_path), *self.library]
        scopes = {d.scope for d in module.model.dependencies if d.group in GROUPS}
        junit = self.junits.get(module.key)
        if junit is not None and scopes - {"test"}:
            path += junit.jars
        return self.tool.compile(
            [*module.compiler(), *_processors(module), *_class_path(path)], module.classes, files
        )

    def _compile_tests(self, module, files):
        copy_resources(module.resources("test"), module.test_classes, module.model)
        options = [*module.compiler(), *_processors(module), *_class_path(self.test_path(module))]
        for _ in range(_MAX_TRIES):
            complaint = self.tool.compile(options, module.test_classes, files) if files else ""
            if not complaint:
                return
            places = [(match.group(1), match.start()) for match in _ERROR.finditer(complaint)]
            broken = {os.path.normpath(path) for path, _ in places} & set(files)
            if not broken:
                break
            for path in broken:
                start = next(s for name, s in places if os.path.normpath(name) == path)
                self._break([path], complaint[start:])
            files = [path for path in files if path not in broken]
            # What was written for them must not be found by the others.
            shutil.rmtree(module.test_classes, ignore_errors=True)
            copy_resources(module.resources("test"), module.test_classes, module.model)
        self._break(files, complaint)
        shutil.rmtree(module.test_classes, ignore_errors=True)

    def _break(self, files, complaint):
        for path in files:
            self.broken.setdefault(path, complaint[:4000])


def _processors(module):
    """Return the options by which processors of annotations run, as Maven has them run."""
    jars = [jar for _, jar in module.processor_path.jars.values()]
    if jars:
        return ["-processorpath", os.pathsep.join(jars)]
    # From Java 23 on those among the libraries only run where that is said.
    return ["-proc:full"] if int(java_version().split(".")[0] or 0) >= 23 else []


def _class_path(path):
    # Without one the compiler would look in the current folder.
    return ["-cp", os.pathsep.join(dict.fromkeys(path)) or os.path.join(tempfile.gettempdir(), "nothing")]


def _jars(folder):
    """Return the jars that a project brings along in `lib`."""
    return glob.glob(os.path.join(glob.escape(folder), "lib", "**", "*.jar"), recursive=True)


def _take(digest, path):
    with open(path, "rb") as file:
        digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + hashlib.sha256(file.read()).digest())
