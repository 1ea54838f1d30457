"""Artifacts that lie on the machine: Maven's local repository, Gradle's cache and Debian's packages."""

import glob
import os
import re

DEBIAN = "/usr/share/maven-repo"
SYSTEM = "/usr/share/java"


class Repositories:
    """Looks artifacts up; nothing is fetched or written."""

    def __init__(self, maven="", gradle="", debian=DEBIAN, system=SYSTEM):
        self.maven = maven
        self.gradle = gradle
        self.debian = debian
        self.system = system

    def find(self, group, artifact, version, ending, classifier=""):
        """Return an artifact's file in exactly this version, or None."""
        if re.match(r"[\[(]", version):
            version = self._in_range(group, artifact, version)
        if not (group and artifact and version) or "${" in version:
            return None
        name = f"{artifact}-{version}{'-' + classifier if classifier else ''}.{ending}"
        for root in (self.maven, self.debian):
            path = os.path.join(root, *group.split("."), artifact, version, name)
            if root and os.path.isfile(path):
                return path
        if self.gradle:
            cached = os.path.join(glob.escape(self.gradle), group, artifact, version, "*", glob.escape(name))
            return next(iter(sorted(glob.glob(cached))), None)
        return None

    def versions(self, group, artifact):
        """Return the versions of an artifact that have a folder, the newest first."""
        found = set()
        for root in (self.maven, self.debian):
            folder = os.path.join(root, *group.split("."), artifact)
            if root and os.path.isdir(folder):
                found.update(n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n)))
        folder = os.path.join(self.gradle, group, artifact) if self.gradle else ""
        if folder and os.path.isdir(folder):
            found.update(os.listdir(folder))
        return sorted(found, key=numbers, reverse=True)

    def newest(self, group, artifact):
        """Return the version and the jar of the newest artifact that is there, or two empty texts."""
        for version in self.versions(group, artifact):
            path = self.find(group, artifact, version, "jar")
            if path is not None:
                return version, path
        return "", ""

    def of_system(self, name):
        """Return one of Debian's jars by its plain name, and its version; two empty texts where it is not."""
        path = os.path.join(self.system, name + ".jar")
        if not os.path.isfile(path):
            return "", ""
        # The version stands in the name of a link beside it, or of what it is a link to.
        beside = glob.glob(os.path.join(glob.escape(self.system), f"{name}-[0-9]*.jar"))
        same = [other for other in beside if os.path.realpath(other) == os.path.realpath(path)]
        version = re.search(r"-(\d[\w.]*)\.jar$", (same or [""])[0])
        return path, version.group(1) if version else "?"

    def _in_range(self, group, artifact, wanted):
        """Return the newest version within a range such as `[1.0,2.0)`."""
        exact = re.fullmatch(r"\[([^,\]]+)\]", wanted)
        if exact:
            return exact.group(1)
        bounds = re.fullmatch(r"([\[(])([^,]*),([^,]*)([\])])", wanted)
        if not bounds:
            return ""
        for version in self.versions(group, artifact):
            value, low, high = numbers(version), numbers(bounds.group(2)), numbers(bounds.group(3))
            above = not bounds.group(2) or value > low or (value == low and bounds.group(1) == "[")
            below = not bounds.group(3) or value < high or (value == high and bounds.group(4) == "]")
            if above and below:
                return version
        return ""


def numbers(version):
    """Return a version as something that can be compared."""
    parts = re.findall(r"\d+|[a-zA-Z]+", version)
    # A milestone comes before its version, and what follows a version after it.
    return [*((1, int(part)) if part.isdigit() else (0, part) for part in parts), (1, -1)]
