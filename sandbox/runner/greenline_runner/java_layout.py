"""The modules of a Java project: where their sources lie, and how they are compiled and run."""

import glob
import os
import re
import shlex

from greenline_runner.java_catalogue import read_catalogue
from greenline_runner.java_gradle import gradle_model, gradle_projects, gradle_text
from greenline_runner.java_path import COMPILED, class_path
from greenline_runner.java_pom import BadPom, Dependency, Model, read_model
from greenline_runner.java_resource import Resource

_FOREIGN = (("kotlin", ".kt"), ("groovy", ".groovy"), ("scala", ".scala"))
_PATTERNS = ("Test*", "*Test", "*Tests", "*TestCase")
"""The classes that Surefire runs where nothing else is said."""
_KEPT = re.compile(r"-D(?!jacoco)|-X(?!bootclasspath)|-ea|-da|--add-|--enable-preview|-XX:|--illegal-access")
_VALUED = ("--add-opens", "--add-exports", "--add-modules", "--add-reads")


class Module:
    """One module: a folder with sources, and what its manifest says."""

    def __init__(self, root, folder, model, output):
        self.root = root
        self.folder = folder
        """Relative to the root; empty for the root itself."""
        self.model = model
        self.path = None
        """The `ClassPath` of its tests."""
        self.main_path = None
        """The `ClassPath` that its product is compiled with."""
        self.processor_path = None
        """That of its processors of annotations, where the manifest names them."""
        place = os.path.join(root, folder)
        self.place = place
        self.sources = self._folders(model.build.get("sourceDirectory"), "main")
        self.test_sources = self._folders(model.build.get("testSourceDirectory"), "test")
        main, test = ("classes/java/main", "classes/java/test") if output == "build" else (
            "classes", "test-classes")  # fmt: skip
        self.classes = os.path.join(place, output, main)
        self.test_classes = os.path.join(place, output, test)

    @property
    def key(self):
        """Group and artifact."""
        return self.model.group, self.model.artifact

    def _folders(self, given, kind):
        found = self.model.value(given) if given else os.path.join("src", kind, "java")
        return os.path.normpath(os.path.join(self.place, found))

    def resources(self, kind):
        """Return the folders of resources of `main` or `test`."""
        given = self.model.resources.get("resources" if kind == "main" else "testResources")
        if given is None:
            return [Resource(os.path.join(self.place, "src", kind, "resources"))]
        return [self._resource(entry) for entry in given]

    def _resource(self, entry):
        folder = self.model.value(entry.findtext("directory") or ".")
        patterns = [
            [self.model.value(one.text or "") for one in entry.findall(f"{name}/{name[:-1]}")]
            for name in ("includes", "excludes")
        ]
        is_filtered = self.model.value(entry.findtext("filtering") or "") == "true"
        return Resource(os.path.normpath(os.path.join(self.place, folder)), is_filtered, *patterns)

    def files(self, folder):
        """Return the Java files below a folder, relative to the root, sorted."""
        found = []
        for place, folders, names in os.walk(folder):
            folders.sort()
            inside = [os.path.join(place, name) for name in names if name.endswith(".java")]
            found += [os.path.relpath(path, self.root).replace(os.sep, "/") for path in inside]
        return sorted(path for path in found if os.path.basename(path) != "module-info.java")

    def foreign(self):
        """Return the first language beside Java that the module has sources of, or an empty text."""
        for language, ending in _FOREIGN:
            for kind in ("main", "test"):
                folder = os.path.join(self.place, "src", kind, language)
                if glob.glob(os.path.join(glob.escape(folder), "**", "*" + ending), recursive=True):
                    return os.path.relpath(folder, self.root)
        return ""

    def patterns(self):
        """Return which names of classes are tests, and which are not, as Surefire reads them."""
        return [
            [self.model.value(entry.text or "") for c in self.model.settings("maven-surefire-plugin")
             for entry in c.findall(f"{name}/{name[:-1]}")]
            for name in ("includes", "excludes")
        ]  # fmt: skip

    def options(self):
        """Return the options of the tests' JVM that the manifest gives, without those that cannot be used."""
        text = self.model.setting("maven-surefire-plugin", "argLine") or self.model.value(
            self.model.properties.get("argLine", "")
        )
        text = re.sub(r"[@$]\{[^}]*\}", "", text)
        found, words = [], _words(text)
        while words:
            word = words.pop(0)
            option = [word]
            if word in _VALUED and words:
                option.append(words.pop(0))
            # Nothing of the project's opens the module of our reporter.
            if _KEPT.match(word) and "greenline" not in " ".join(option):
                found += option
        for configuration in self.model.settings("maven-surefire-plugin"):
            for entry in configuration.find("systemPropertyVariables") or ():
                found.append(f"-D{entry.tag}={self.model.value(entry.text or '')}")
        return found

    def variables(self):
        """Return the variables that the manifest gives the tests."""
        return {
            entry.tag: self.model.value(entry.text or "")
            for configuration in self.model.settings("maven-surefire-plugin")
            for entry in configuration.find("environmentVariables") or ()
        }

    def compiler(self):
        """Return the compiler's options that the manifest gives."""
        plugin = "maven-compiler-plugin"

        def said(name):
            property_name = f"maven.compiler.{name}"
            return self.model.setting(plugin, name) or self.model.value(
                self.model.properties.get(property_name, "")
            )

        release = said("release") or said("source")
        found = []
        if re.fullmatch(r"(?:1\.)?\d+", release):
            found += ["--release", str(max(7, int(release.rpartition(".")[2] or release)))]
        encoding = self.model.value(self.model.properties.get("project.build.sourceEncoding", "")) or "UTF-8"
        found += ["-encoding", encoding]
        if said("parameters") == "true":
            found.append("-parameters")
        for configuration in self.model.settings(plugin):
            found += [
                self.model.value(entry.text or "")
                for entry in (configuration.find("compilerArgs") or ())
                if (entry.text or "").strip().startswith(("-parameters", "--enable-preview", "-A"))
            ]
        return found

    def processors(self):
        """Return the processors of annotations that the manifest names beside the libraries."""
        entries = [
            entry
            for configuration in self.model.settings("maven-compiler-plugin")
            for entry in configuration.findall("annotationProcessorPaths/path")
        ]
        texts = [[entry.findtext(n) or "" for n in ("groupId", "artifactId", "version")] for entry in entries]
        return [Dependency(*words) for words in texts]

    def names(self):
        """Return the patterns of Surefire's that are meant where none are given."""
        return _PATTERNS


def modules(root, repositories):
    """Return the modules of a project, each behind those that it needs; raises `BadPom`."""
    if os.path.isfile(os.path.join(root, "pom.xml")):
        found = list(_maven(root, "", repositories))
    elif gradle_text(root) is not None:
        text = gradle_text(root)
        catalogue = read_catalogue(root)
        places = {folder: os.path.join(root, folder) for folder in gradle_projects(root)}
        found = [
            Module(root, folder, gradle_model(place, text, repositories.find, catalogue), "build")
            for folder, place in places.items()
        ]
        for module in found:
            module.model.group, module.model.artifact = ":", module.folder
    else:
        found = [Module(root, "", Model(), "target")]
    own = frozenset(module.key for module in found)
    for module in found:
        module.path = class_path(module.model, repositories, own)
        module.main_path = class_path(module.model, repositories, own, COMPILED)
        module.processor_path = class_path(_with(module.model, module.processors()), repositories, own)
    return _ordered(found)


def _with(model, dependencies):
    """Return a model with other dependencies, in the versions that it manages."""
    found = Model()
    found.properties, found.managed = model.properties, model.managed
    found.group, found.version = model.group, model.version
    found.dependencies = dependencies
    return found


def _maven(root, folder, repositories, depth=0):
    if depth > 10:
        raise BadPom("the modules contain one another")
    path = os.path.join(root, folder, "pom.xml")
    model = read_model(path, repositories.find)
    yield Module(root, folder, model, "target")
    for name in model.modules:
        place = os.path.normpath(os.path.join(folder, model.value(name)))
        if not place.startswith("..") and os.path.isfile(os.path.join(root, place, "pom.xml")):
            yield from _maven(root, place, repositories, depth + 1)


def _ordered(found):
    """Return modules behind those that they need."""
    known = {module.key: module for module in found}
    done = {}

    def take(module, around):
        if module.key in done or module.key in around:
            return
        for group, artifact, _ in module.path.modules:
            take(known[group, artifact], around | {module.key})
        done[module.key] = module

    for module in found:
        take(module, frozenset())
    return list(done.values())


def _words(text):
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
