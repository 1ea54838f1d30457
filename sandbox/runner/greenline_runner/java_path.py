"""Which jars a module is compiled and run with: its dependencies and theirs, nearest first as in Maven."""

from greenline_runner.java_pom import BadPom, Dependency, read_model

EVERY = ("", "compile", "provided", "runtime", "test", "system")
"""The scopes that tests run with."""
COMPILED = ("", "compile", "provided", "system")
"""Those that the product is compiled with."""
_HANDED_ON = ("", "compile", "runtime")
_MAX = 2000


class ClassPath:
    """What was found."""

    def __init__(self):
        self.jars = {}
        """Group and artifact → version and path, in order; with a classifier in the artifact's place too."""
        self.modules = []
        """Group and artifact of modules of the same project, each with whether its tests are wanted."""
        self.missing = []
        """Dependencies of the project's own that are in no local repository."""


def class_path(model, repositories, own=frozenset(), scopes=EVERY):
    """Return the class path of a model; `own` are group and artifact of the project's modules."""
    found = ClassPath()
    waiting, seen = [], set()
    for entry in model.dependencies:
        dependency = model.complete(entry)
        if dependency.scope in scopes:
            waiting.append((dependency, 0, dependency.exclusions))
    while waiting and len(seen) < _MAX:
        dependency, depth, excluded = waiting.pop(0)
        if dependency.key in seen or dependency.kind == "pom":
            continue
        seen.add(dependency.key)
        if (dependency.group, dependency.artifact) in own:
            found.modules.append((dependency.group, dependency.artifact, dependency.classifier == "tests"))
            continue
        path = repositories.find(
            dependency.group, dependency.artifact, dependency.version, "jar", dependency.classifier
        )
        if path is None:
            if depth == 0:
                found.missing.append(dependency)
            continue
        name = dependency.artifact + (":" + dependency.classifier if dependency.classifier else "")
        found.jars[dependency.group, name] = dependency.version, path
        waiting += [
            (inner, depth + 1, excluded | inner.exclusions)
            for inner in _handed_on(model, dependency, repositories)
            if not _is_excluded(inner, excluded)
        ]
    return found


def _handed_on(model, dependency, repositories):
    """Yield what a dependency needs itself, in the versions that the project manages."""
    pom = repositories.find(dependency.group, dependency.artifact, dependency.version, "pom")
    if pom is None:
        return
    try:
        other = read_model(pom, repositories.find)
    except BadPom:
        return
    for entry in other.dependencies:
        inner = other.complete(entry)
        if inner.optional or inner.scope not in _HANDED_ON:
            continue
        managed = model.managed.get(inner.key)
        version = model.value(managed.version) if managed is not None and managed.version else inner.version
        found = Dependency(inner.group, inner.artifact, version, "", inner.kind, inner.classifier)
        found.exclusions = inner.exclusions
        yield found


def _is_excluded(dependency, excluded):
    return any(
        group in ("*", dependency.group) and artifact in ("*", dependency.artifact)
        for group, artifact in excluded
    )
