"""The classes of a module's tests by name: the files that they are in, and the ids of their tests."""

import fnmatch
import os
import re


class Names:
    """The classes of a module's tests, and the files that they are in."""

    def __init__(self, module, broken):
        self._module = module
        self._texts = {}
        self._sources = {}
        files = module.files(module.test_sources)
        self._files = [file for file in files if file not in broken]
        self._known = {}

    def classes(self, selected):
        """Return the names of the classes to look for tests in, sorted."""
        wanted = {test.split("::")[0] for test in selected}
        found = []
        folder = self._module.test_classes
        for place, _, names in os.walk(folder):
            for name in names:
                if (
                    not name.endswith(".class")
                    or "$" in name
                    or name in ("module-info.class", "package-info.class")
                ):
                    continue
                path = os.path.relpath(os.path.join(place, name), folder)[: -len(".class")].replace(
                    os.sep, "/"
                )
                plain = path.replace("/", ".")
                if self._is_test(path) and (not wanted or self.file_of(plain) in wanted):
                    found.append(plain)
        return sorted(found)

    def methods(self, selected):
        """Return `CLASS#METHOD` of the methods that are wanted; none where whole classes are."""
        found = []
        for test in selected:
            file, *inside = test.split("::")
            if file not in self._files:
                continue
            method = inside[-1].split("[")[0] if inside else ""
            if not method or not re.search(rf"\b{re.escape(method)}\s*\(", self._text(file)):
                return []
            stem = os.path.basename(file)[: -len(".java")]
            package = self._package(file)
            owners = ["$".join([stem, *inside[:-1]])]
            if len(inside) > 1:
                owners.append("$".join(inside[:-1]))
            found += [f"{package}{owner}#{method}" for owner in owners]
        return found

    def id_of(self, record):
        """Return the id of a test: file, classes in the file's own, method and row."""
        file = self.file_of(record["class"])
        top, *inner = record["class"].rpartition(".")[2].split("$")
        own = inner if os.path.basename(file) == top + ".java" else [top, *inner]
        place = [file, *own] if file else [record["class"] or "(unknown)"]
        return "::".join([*place, record["method"] + record["row"]])

    def file_of(self, name):
        """Return the file that a class is in, relative to the root, or an empty text."""
        top = name.split("$")[0]
        if top not in self._sources:
            self._sources[top] = self._find(top)
        return self._sources[top]

    def line_of(self, record):
        """Return the line on which a method is declared, or 0."""
        text = self._text(self.file_of(record["class"]))
        start = 0
        for inner in record["class"].split("$")[1:]:
            place = re.search(rf"\b(?:class|interface|record|enum)\s+{re.escape(inner)}\b", text[start:])
            start += place.start() if place else 0
        method = re.escape(record["method"])
        statement = r"\s*(?://|\*|return\b|throw\b|new\b|else\b)"
        pattern = re.compile(rf"^(?!{statement})[^=\"\n]*[\w>\]]\s+{method}\s*\(", re.M)
        found = pattern.search(text, start)
        return text.count("\n", 0, found.end()) + 1 if found else 0

    def _is_test(self, path):
        simple = path.rpartition("/")[2]
        if self._module.classes.endswith(os.path.join("java", "main")):
            return True
        included, excluded = self._module.patterns()
        if any(_matches(path, pattern) for pattern in excluded):
            return False
        if included:
            return any(_matches(path, pattern) for pattern in included)
        return any(fnmatch.fnmatchcase(simple, pattern) for pattern in self._module.names())

    def _find(self, top):
        path = os.path.join(self._module.test_sources, *top.split(".")) + ".java"
        relative = os.path.relpath(path, self._module.root).replace(os.sep, "/")
        if os.path.isfile(path):
            return relative
        package, _, simple = top.rpartition(".")
        declared = re.compile(rf"\b(?:class|interface|record|enum)\s+{re.escape(simple)}\b")
        package += "." if package else ""
        for file in self._files:
            if self._package(file) == package and declared.search(self._text(file)):
                return file
        return ""

    def _package(self, file):
        found = re.search(r"^\s*package\s+([\w.]+)\s*;", self._text(file), re.M)
        return found.group(1) + "." if found else ""

    def _text(self, file):
        if file and file not in self._texts:
            with open(os.path.join(self._module.root, file), encoding="utf-8", errors="replace") as source:
                self._texts[file] = source.read()
        return self._texts.get(file, "")


def _matches(path, pattern):
    """Return whether the path of a class is one that a pattern of Surefire's means."""
    plain = re.sub(r"\.(?:java|class)$", "", pattern.strip())
    if plain.startswith("%regex["):
        return re.search(plain[7:-1].replace("\\.class", "").replace("\\.java", ""), path) is not None
    if "/" not in plain and "." in plain:
        plain = plain.replace(".", "/")
    plain = plain if "/" in plain else "**/" + plain
    return fnmatch.fnmatchcase("/" + path, "/" + plain.replace("**/", "*")) or fnmatch.fnmatchcase(
        path, plain.replace("**/", "")
    )
