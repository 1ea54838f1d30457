"""Which JUnit runs a module's tests: the one that it names where all of it is there, else the machine's."""

import re
import zipfile

from greenline_runner.java_repository import numbers

GROUPS = ("org.junit.jupiter", "org.junit.platform", "org.junit.vintage", "junit", "org.hamcrest",
          "org.opentest4j", "org.apiguardian")  # fmt: skip
"""What JUnit consists of; it comes before everything else on the class path."""
_SERVICE = "META-INF/services/org.junit.platform.engine.TestEngine"
_ASSERTING = ("org.assertj", "org.mockito", "com.google.truth", "org.jspecify")
"""What else tests assert with, which no class of the product may take the place of."""
_OLDEST = numbers("1.8")
_JUPITER = ("api", "engine", "params")
_PLATFORM = ("commons", "engine", "launcher")
_SYSTEM = ("junit-platform-launcher", "junit-platform-engine", "junit-platform-commons", "opentest4j",
           "apiguardian-api")  # fmt: skip
_SYSTEM_JUPITER = ("junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "univocity-parsers")
_SYSTEM_VINTAGE = ("junit-vintage-engine", "junit4", "hamcrest")


class JUnit:
    """The jars, in their order, and what they are."""

    def __init__(self, jars, version, whose):
        self.jars = jars
        self.version = version
        self.whose = whose
        """`project` or `machine`."""


def named(module):
    """Return the version of JUnit 5 or newer that a module names or uses, or an empty text."""
    used = [(group, version) for (group, _), (version, _) in module.path.jars.items()]
    said = [(d.group, d.version) for d in [*module.path.missing, *module.model.dependencies]]
    return next((v for g, v in [*used, *said] if g == "org.junit.jupiter" and v and "${" not in v), "")


def choose(module, repositories):
    """Return the JUnit of a module's tests, or None where there is none."""
    version = named(module)
    every = {*module.path.jars, *((d.group, d.artifact) for d in module.path.missing)}
    has_old = ("junit", "junit") in every
    is_silent = not version and not has_old
    own = _own(module, repositories, version, has_old) if not is_silent else None
    return own or _of_system(repositories, bool(version) or is_silent, has_old or is_silent)


def ahead(module, junit):
    """Return the jars that come first on the class path: JUnit's, and those of libraries that assert."""
    found = list(junit.jars)
    for (group, artifact), (_, path) in module.path.jars.items():
        is_old = junit.whose == "project" and (group, artifact) == ("junit", "junit")
        if path not in found and (group.startswith(_ASSERTING) or group == "org.hamcrest" or is_old):
            found.append(path)
    return found


def engines(jars):
    """Return the classes of the engines that lie in jars, JUnit's own first.

    That for suites would run tests a second time.
    """
    found = []
    for path in jars:
        try:
            with zipfile.ZipFile(path) as file:
                text = file.read(_SERVICE).decode("utf-8", "replace")
        except (KeyError, OSError, zipfile.BadZipFile):
            continue
        names = [line.partition("#")[0].strip() for line in text.splitlines()]
        found += [name for name in names if name and not name.startswith("org.junit.platform.suite.")]
    return list(dict.fromkeys(sorted(found, key=lambda name: not name.startswith("org.junit."))))


def _own(module, repositories, version, has_old):
    """Return JUnit from local repositories, in the version of the project's; None where a part is missing."""
    newest = repositories.newest("org.junit.platform", "junit-platform-launcher")[0]
    platform = _platform_of(version) if version else newest
    if not platform or numbers(platform) < _OLDEST:
        return None
    wanted = [("org.junit.platform", f"junit-platform-{part}", platform) for part in _PLATFORM]
    own = version or _jupiter_of(platform)
    if version:
        wanted += [("org.junit.jupiter", f"junit-jupiter-{part}", version) for part in _JUPITER[:2]]
    if has_old:
        wanted.append(("org.junit.vintage", "junit-vintage-engine", own))
    found = [repositories.find(group, artifact, number, "jar") for group, artifact, number in wanted]
    if None in found:
        return None
    for group, artifact in (("org.opentest4j", "opentest4j"), ("org.apiguardian", "apiguardian-api")):
        path = module.path.jars.get((group, artifact), ("", ""))[1] or repositories.newest(group, artifact)[1]
        if not path and group == "org.opentest4j":
            return None
        found += [path] if path else []
    params = repositories.find("org.junit.jupiter", "junit-jupiter-params", version, "jar")
    if version and params:
        found.append(params)
        # Its parser of CSV lies inside of it as published, and beside it as Debian packages it.
        found += [path for path in [repositories.of_system("univocity-parsers")[0]] if path]
    if has_old:
        old = module.path.jars.get(("junit", "junit"), ("", ""))[1]
        if not old:
            return None
        found.append(old)
    return JUnit(found, own, "project")


def _of_system(repositories, has_new, has_old):
    """Return JUnit as Debian packages it, or None."""
    names = [*_SYSTEM, *(_SYSTEM_JUPITER if has_new else ()), *(_SYSTEM_VINTAGE if has_old else ())]
    found = [repositories.of_system(name) for name in names]
    needed = [name for name in names if name not in ("apiguardian-api", "univocity-parsers")]
    if any(not repositories.of_system(name)[0] for name in needed):
        return None
    newest = "junit-jupiter-api" if has_new else "junit-platform-launcher"
    version = repositories.of_system(newest)[1]
    return JUnit([path for path, _ in found if path], _jupiter_of(version), "machine")


def _platform_of(version):
    """Return the platform's version that belongs to one of Jupiter's: 1.9.2 to 5.9.2, and 6.0.0 to itself."""
    return re.sub(r"^5\.", "1.", version)


def _jupiter_of(platform):
    return re.sub(r"^1\.", "5.", platform)
