"""A pytest item as the plain call that it comes to, where nothing but its own function is involved.

The call is much cheaper than pytest's protocol around it. It only sorts candidates out: what passes so is
run by pytest afterwards.
"""

import inspect
import sys
import unittest

_IDLE = frozenset(("request", "event_loop_policy"))
"""Fixtures that a test may have without asking, and that do nothing for a plain function."""
_DIRECT = "get_direct_param_fixture_func"


def bare_call(item):
    """Return a function that runs an item's test, or None where it needs fixtures, marks or plug-ins."""
    if type(item).__name__ == "TestCaseFunction":
        return case_call(item.parent.obj, item.name)
    function = getattr(item, "function", None)
    if function is None or type(item).__name__ != "Function":
        return None
    if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
        return None
    if any(mark.name != "parametrize" for mark in item.iter_markers()):
        return None
    wanted = set(inspect.signature(item.obj).parameters)
    given = _parameters(item)
    if wanted != set(given) or set(item.fixturenames) - wanted - _IDLE:
        return None
    cls, name = getattr(item, "cls", None), function.__name__

    def call():
        # A method gets an instance of its own, as it does from pytest.
        test = function if cls is None else getattr(cls(), name)
        test(**given)

    return call


def case_call(cls, name):
    """Return a function that runs one test of a `TestCase`; None: its class or module has fixtures."""
    module = sys.modules.get(cls.__module__)
    if hasattr(cls, "_callAsync") or hasattr(module, "setUpModule"):
        return None
    if cls.setUpClass.__func__ is not unittest.TestCase.setUpClass.__func__:
        return None

    def call():
        cls(name).debug()

    return call


def _parameters(item):
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return {}
    if getattr(callspec, "funcargs", None):
        return dict(callspec.funcargs)
    definitions = item._fixtureinfo.name2fixturedefs
    return {
        name: value
        for name, value in callspec.params.items()
        if name in definitions and definitions[name][-1].func.__name__ == _DIRECT
    }
