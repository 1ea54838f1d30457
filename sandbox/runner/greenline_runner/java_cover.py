"""Lines that JaCoCo's agent counted, test by test; what turns counts into lines is a process of its own."""

import os
import tempfile
import zipfile

from greenline_runner.cover import ranges
from greenline_runner.java_path import class_path
from greenline_runner.java_pom import Dependency, Model

_SECONDS = 30
_MAX_PACKAGES = 100
_SYSTEM = ("org.jacoco.core", "asm", "asm-commons", "asm-tree", "asm-analysis")


class Agent:
    """JaCoCo as it lies on the machine."""

    def __init__(self, jar, core, version):
        self.jar = jar
        self.core = core
        """The jars that read what the agent counts."""
        self.version = version

    def option(self, folders):
        """Return the JVM's option by which classes of product code are counted."""
        names = ":".join(_packages(folders)) or "*"
        return f"-javaagent:{self.jar}=output=none,includes={names},excludes=greenline.*"


def find_agent(repositories):
    """Return the newest JaCoCo of which all parts are there, or None."""
    group, name = "org.jacoco", "org.jacoco.agent"
    for version in repositories.versions(group, name):
        model = Model()
        model.dependencies.append(Dependency(group, "org.jacoco.core", version))
        core = [path for _, path in class_path(model, repositories).jars.values()]
        jar = repositories.find(group, name, version, "jar", "runtime") or _inner(
            repositories.find(group, name, version, "jar")
        )
        if jar and len(core) > 1:
            return Agent(jar, core, version)
    path, version = repositories.of_system(name)
    core = [repositories.of_system(part)[0] for part in _SYSTEM]
    jar = _inner(path) if all(core) else ""
    return Agent(jar, core, version) if jar else None


def _inner(path):
    """Return the agent that lies in a jar, taken out; an empty text where there is none."""
    if not path:
        return ""
    folder = tempfile.mkdtemp(prefix="greenline-jacoco-")
    try:
        with zipfile.ZipFile(path) as file:
            return file.extract("jacocoagent.jar", folder)
    except (KeyError, OSError, zipfile.BadZipFile):
        return ""


def executed(tool, folders, data, roots, root):
    """Return number of a test → relative path → ranges such as `1-4,7`; `data` is number → counts.

    `roots` are the folders of product sources. What takes too long is left out.
    """
    found, places = {}, {}
    for number, source, numbers in tool.measure(data, _SECONDS, folders):
        if source not in places:
            places[source] = _place(source, roots, root)
        if places[source] and numbers:
            wanted = found.setdefault(int(number), {})
            wanted[places[source]] = ranges(sorted(map(int, numbers.split(","))))
    return found


def _place(source, roots, root):
    for folder in roots:
        path = os.path.join(folder, source)
        if os.path.isfile(path):
            return os.path.relpath(path, root).replace(os.sep, "/")
    return ""


def _packages(folders):
    """Return patterns for all classes in the folders, few enough for an option."""
    found = set()
    for folder in folders:
        for place, _, names in os.walk(folder):
            classes = [name[: -len(".class")] for name in names if name.endswith(".class")]
            package = os.path.relpath(place, folder).replace(os.sep, ".")
            if package == ".":
                found.update(classes)
            elif classes:
                found.add(package + ".*")
    around = tuple(name[:-1] for name in found if name.endswith("*"))
    outermost = [n for n in found if not any(n.startswith(start) and n != start + "*" for start in around)]
    return sorted(outermost) if len(outermost) <= _MAX_PACKAGES else ["*"]
