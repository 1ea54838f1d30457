"""Whether the runner's own code, and the tests', is still what it was before project code ran.

A test passes where nothing raised, as far as the runner sees; product code that replaces what calls the tests
decides that. So the functions of the runner are remembered before anything of the project is imported, and
looked at again after the collection, now and then between tests, and at the end, together with the plugins
that nobody installed. Tests are remembered once they are collected: product code that replaces one, or what
one imported, decides its outcome as well. What a project does without the patch too is its own affair; the
verdict compares.
"""

import sys
import time
import types

_PACKAGES = ("_pytest", "pytest", "pluggy", "unittest", "greenline_runner", "builtins")
_OWN = frozenset(
    "_pytest." + name
    for name in (
        "cacheprovider.Cache.makedir",
        "config.Config._getini_unknown_type",
        "config.Config.inifile",
        "config.Config.invocation_dir",
        "config.Config.rootdir",
        "fixtures.FixtureRequest.fspath",
        "main.Session.startdir",
        "nodes.Node.fspath",
        "pytester.Pytester.testdir",
        "terminal.TerminalReporter.startdir",
    )
)
"""What pytest's own plugin for `py.path` replaces when it is configured."""
_EVERY_S = 0.25
"""A look takes 2 ms with pytest: less than a hundredth of a suite's time."""
_MAX_NAMES = 200
_clock = time.monotonic


class Seal:
    """The functions of the runner's modules, as they were when this was made."""

    def __init__(self):
        self._known = _functions()
        self._watched = []
        self._found = {}
        self._next = 0.0

    def look(self, plugins=(), now=False, last=False):
        """Look for what has changed since; seldom enough to cost nothing, unless `now`; at the `last` look
        the tests are looked at too.

        `plugins` yields those that are neither the runner's own nor installed.
        """
        if not now and _clock() < self._next:
            return
        # A fixture may put something in a test module's place between its tests, so those wait for the end.
        for owner, name, value, code in [*self._known, *(self._watched if last else ())]:
            held = vars(owner).get(name)
            if held is not value or _code(held) is not code:
                self._found[f"{_title(owner)}.{name}"] = None
        for plugin in plugins:
            self._found[f"plugin {plugin}"] = None
        self._next = _clock() + _EVERY_S

    def watch(self, modules):
        """Remember the modules of the tests as well, with what they import."""
        for module in modules:
            if not isinstance(module, types.ModuleType):
                continue
            for name, value in list(vars(module).items()):
                is_class = issubclass(type(value), type)
                if not (_is_function(value) or is_class):
                    continue
                self._watched.append((module, name, value, _code(value)))
                if is_class and vars(value).get("__module__") == module.__name__:
                    self._watched += _methods(value)

    def note(self, name):
        """Remember something else that was replaced."""
        self._found[name] = None

    def send(self, channel):
        """Send one record where something was replaced."""
        names = sorted(self._found.keys() - _OWN)
        if names:
            channel.send({"kind": "replaced", "names": names[:_MAX_NAMES]})


def _functions():
    found = []
    for module_name, module in sorted(sys.modules.items()):
        if module_name.partition(".")[0] not in _PACKAGES or not isinstance(module, types.ModuleType):
            continue
        for name, value in list(vars(module).items()):
            if isinstance(value, type) and value.__module__ == module_name and module_name != "builtins":
                found += _methods(value)
            elif _is_function(value) or (module_name == "builtins" and isinstance(value, type)):
                found.append((module, name, value, _code(value)))
    return found


def _methods(owner):
    return [(owner, n, v, _code(v)) for n, v in list(vars(owner).items()) if _is_function(v)]


def _is_function(value):
    kinds = (types.FunctionType, types.BuiltinFunctionType, staticmethod, classmethod, property)
    # Not `isinstance`, which asks proxies for their class and so lets project code run.
    return issubclass(type(value), kinds)


def _code(value):
    if not _is_function(value):
        return None
    return getattr(getattr(value, "__func__", value), "__code__", None)


def _title(owner):
    return (
        owner.__name__ if isinstance(owner, types.ModuleType) else f"{owner.__module__}.{owner.__qualname__}"
    )
