"""A pytest item as the plain call that it comes to, where nothing but its own function is involved.

The call is much cheaper than pytest's protocol around it. It only sorts candidates out: what passes so is
run by pytest afterwards.
"""

import contextlib
import inspect
import os
import sys
import unittest

_IDLE = frozenset(("request", "event_loop_policy"))
"""Fixtures that a test may have without asking, and that do nothing for a plain function."""
_DIRECT = "get_direct_param_fixture_func"


def bare_call(item, root):
    """Return a function that runs an item's test, or None where it needs more than the project's own code."""
    if type(item).__name__ == "TestCaseFunction":
        return case_call(item.parent.obj, item.name)
    function = getattr(item, "function", None)
    if function is None or type(item).__name__ != "Function" or not _is_plain(function):
        return None
    if any(mark.name != "parametrize" for mark in item.iter_markers()):
        return None
    wanted = list(inspect.signature(item.obj).parameters)
    given = _parameters(item)
    fixtures = {}
    for name in item.fixturenames:
        if name not in given and name not in _IDLE:
            fixtures[name] = _fixture(item, name, root)
            if fixtures[name] is None:
                return None
    if not set(wanted) <= set(given) | set(fixtures):
        return None
    cls, name = getattr(item, "cls", None), function.__name__

    def call():
        # A method gets an instance of its own, as it does from pytest.
        owner = None if cls is None else cls()
        test = function if cls is None else getattr(owner, name)
        with contextlib.ExitStack() as stack:
            values = dict(given)
            for fixture, (make, needs) in fixtures.items():
                values[fixture] = stack.enter_context(_made(make, {need: values[need] for need in needs}))
            test(**{name: values[name] for name in wanted})

    if not fixtures:
        call.plain = function, cls, given
    return call


def _is_plain(function):
    return not inspect.iscoroutinefunction(function) and not inspect.isgeneratorfunction(function)


def _fixture(item, name, root):
    """Return a fixture and what it needs; None: not the project's, or not made anew for each test."""
    definitions = item._fixtureinfo.name2fixturedefs.get(name)
    definition = definitions[-1] if definitions else None
    if definition is None or definition.scope != "function" or definition.params:
        return None
    make = definition.func
    code = getattr(make, "__code__", None)
    if code is None or not os.path.realpath(code.co_filename).startswith(root + os.sep):
        return None
    needs = list(inspect.signature(make).parameters)
    known = set(item.fixturenames[: item.fixturenames.index(name)]) | set(_parameters(item))
    if inspect.iscoroutinefunction(make) or inspect.isasyncgenfunction(make) or set(needs) - (known - _IDLE):
        return None
    return make, needs


@contextlib.contextmanager
def _made(make, values):
    made = make(**values)
    if not inspect.isgenerator(made):
        yield made
        return
    yield next(made)
    next(made, None)


def case_call(cls, name):
    """Return a function that runs one test of a `TestCase`; None: its class or module has fixtures."""
    module = sys.modules.get(cls.__module__)
    if hasattr(cls, "_callAsync") or hasattr(module, "setUpModule"):
        return None
    if cls.setUpClass.__func__ is not unittest.TestCase.setUpClass.__func__:
        return None

    def call():
        cls(name).debug()

    call.plain = getattr(cls, name), cls, {}
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
