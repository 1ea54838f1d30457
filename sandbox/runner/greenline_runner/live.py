"""A candidate put into a running program: its functions get new code, and nothing is imported again.

That is the same as an import of the changed file only where the edit lies in the body of a function that no
import called; anything else is refused, and wants a process that imports the file.
"""

import __future__

import ast
import base64
import gc
import os
import sys
import threading
import types

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Live:
    """What the project's imports have made."""

    def __init__(self, root):
        self._prefix = os.path.realpath(root) + os.sep
        self._called = set()
        self._functions = {}
        self.loaded = {}
        """The real path of each of the project's files that is imported → its module."""
        self._files = {}
        self._n_modules = 0

    def watch(self):
        """Begin to note which functions imports call."""
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def settle(self):
        """Stop noting, and find the functions that there are now."""
        sys.setprofile(None)
        threading.setprofile(None)
        real = {}
        for found in gc.get_objects():
            if type(found) is types.FunctionType:
                name = found.__code__.co_filename
                path = real.get(name)
                if path is None:
                    path = real[name] = os.path.realpath(name)
                if path.startswith(self._prefix):
                    key = path, found.__code__.co_firstlineno, found.__code__.co_name
                    self._functions.setdefault(key, []).append(found)
        self._called = {(real.get(k[0]) or os.path.realpath(k[0]), k[1], k[2]) for k in self._called}
        self.loaded = self._project(list(sys.modules.values()))
        self._n_modules = len(sys.modules)

    def has_grown(self):
        """Return whether another of the project's files was imported since."""
        new = list(sys.modules.values())[self._n_modules :]
        self._n_modules += len(new)
        return bool(self._project(new))

    def _project(self, modules):
        found = {}
        for module in modules:
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and file.endswith(".py"):
                path = os.path.realpath(file)
                if path.startswith(self._prefix):
                    found[path] = module
        return found

    def _note(self, frame, event, _):
        if event == "call":
            code = frame.f_code
            self._called.add((code.co_filename, code.co_firstlineno, code.co_name))

    def patches(self, edits):
        """Return (function, new code) for a candidate, or None where its files must be imported anew.

        An edit is `[path, start, end, replacement in base64]`.
        """
        by_function = {}
        for path, start, end, text in edits:
            real = os.path.realpath(path)
            if real not in self.loaded:
                return None
            try:
                file = self._files[real] if real in self._files else _File(real)
            except (OSError, SyntaxError, ValueError):
                return None
            self._files[real] = file
            place = file.function_around(start, end)
            if place is None:
                return None
            by_function.setdefault((real, place), []).append((start, end, base64.b64decode(text)))
        found = []
        for (real, place), parts in by_function.items():
            patch = self._patch(real, self._files[real].functions[place], self._files[real], parts)
            if patch is None:
                return None
            found += patch
        return found

    def _patch(self, real, place, file, parts):
        key = real, place.first, place.node.name
        live = self._functions.get(key)
        if not live or key in self._called:
            return None
        code = file.code(place, parts, live[0].__code__.co_filename)
        if code is None or code.co_freevars != live[0].__code__.co_freevars:
            return None
        return [(function, code) for function in live]


class _Place:
    """One function that stands in no other: its node, the classes around it, its first line."""

    def __init__(self, node, classes):
        self.node = node
        self.classes = classes
        self.first = min([node.lineno] + [item.lineno for item in node.decorator_list])


class _File:
    """A file as it is on the disk."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self._data = file.read()
        # The parser counts columns and lines as UTF-8 with plain line ends has them.
        self._data.decode("utf-8")
        if b"\r" in self._data.replace(b"\r\n", b"\n"):
            raise ValueError("a line end that is not counted here")
        tree = ast.parse(self._data)
        self._starts = [0]
        for position, byte in enumerate(self._data):
            if byte == 10:
                self._starts.append(position + 1)
        self._starts.append(len(self._data))
        self._flags = 0
        self.functions = []
        self._add(tree.body, ())
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                for name in node.names:
                    self._flags |= getattr(__future__, name.name).compiler_flag

    def _add(self, body, classes):
        for node in body:
            if isinstance(node, _FUNCTIONS):
                self.functions.append(_Place(node, classes))
            elif isinstance(node, ast.ClassDef):
                self._add(node.body, (*classes, node.name))
            elif isinstance(node, (ast.If, ast.Try)):
                self._add(node.body, classes)
                self._add(node.orelse, classes)

    def function_around(self, start, end):
        """Return the number of the function whose body an edit lies in, or None."""
        for number, place in enumerate(self.functions):
            first, last = self._span(place.node)
            body = self._starts[place.node.body[0].lineno - 1]
            if body <= first:
                body += place.node.body[0].col_offset
            if body <= start and end <= last:
                return number
        return None

    def _span(self, node):
        end = node.end_lineno
        return self._starts[node.lineno - 1], self._starts[min(end, len(self._starts) - 1)]

    def code(self, place, parts, name):
        """Return the code of a function with edits made, or None where it is no such function any more."""
        start, end = self._span(place.node)
        text = self._data[start:end]
        for begin, stop, new in sorted(parts, reverse=True):
            text = text[: begin - start] + new + text[stop - start :]
        wrapped = text[:1] in (b" ", b"\t")
        try:
            tree = ast.parse(b"if 1:\n" + text if wrapped else text)
        except (SyntaxError, ValueError):
            return None
        body = tree.body[0].body if wrapped and len(tree.body) == 1 else tree.body
        if len(body) != 1 or type(body[0]) is not type(place.node) or body[0].name != place.node.name:
            return None
        node = body[0]
        ast.increment_lineno(node, place.node.lineno - node.lineno)
        for class_name in reversed(place.classes):
            outer = ast.parse("class C: pass").body[0]
            outer.name, outer.body = class_name, [node]
            node = outer
        tree.body = [node]
        try:
            made = compile(tree, name, "exec", self._flags, True)
        except (SyntaxError, ValueError, RecursionError):
            return None
        for wanted in (*place.classes, place.node.name):
            made = next(
                (c for c in made.co_consts if isinstance(c, types.CodeType) and c.co_name == wanted), None
            )
            if made is None:
                return None
        return made
