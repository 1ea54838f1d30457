"""What a Node process told → the driver's records; the ids are made here, not by the process."""

import json
import os
import re
import shlex
import subprocess
from urllib.parse import quote

from greenline_runner.v8_cover import Calls, plain_path

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "node")


class NodeReport:
    """Writes the records of one or several processes; `root` is the project's folder."""

    def __init__(self, options, write):
        self._options = options
        self._root = os.path.realpath(options.root)
        self._write = write
        self._texts = {}
        self._replaced = set()

    def relay(self, told, file=None):
        """Write what one process told; return its part of the exit code.

        `file` is the only test file that ran in it, which its tests then belong to; without one, each record
        names its file.
        """
        for _ in range(min(told.n_intruders, 20)):
            self._write({"kind": "intruder", "where": "runner"})
        calls, keys, n_broken, n_told = Calls(self._root), {}, 0, 0
        for record in told.records:
            kind = record.get("kind")
            if kind == "calls":
                calls.add(record)
            elif kind == "replaced":
                self._replaced.update(str(name) for name in record["names"])
                self._write({"kind": "replaced", "names": sorted(self._replaced)})
            elif kind == "source":
                calls.add_source(record)
            elif kind == "broken":
                n_told += 1
                n_broken += 1
                name = self._relative(record["file"]) or "(collection)"
                self._write({"kind": "collectError", "id": name, "message": record["message"]})
            elif kind == "test":
                n_told += 1
                n_broken += record["outcome"] in ("failed", "error")
                self._test(record, file, keys)
        self._end(told, file, n_told, n_broken)
        if self._options.coverage:
            calls.finish()
            for test, key in keys.items():
                files = calls.of(key)
                if files:
                    self._write({"kind": "cov", "id": test, "files": files})
        return 1 if n_broken else 0

    def _end(self, told, file, n_told, n_broken):
        where = file or "The runner"
        if told.exit_code and (not n_told or (told.is_complete and not n_broken)):
            # What fails outside of every test, an import for instance, fails the file.
            message = f"{where} ended with exit code {told.exit_code}, outside of its tests."
            self._write({"kind": "collectError", "id": file or "(collection)", "message": message})
        elif not told.is_complete:
            message = f"{where} ended before its last test (exit code {told.exit_code})."
            self._write({"kind": "died", "message": message})

    def _test(self, record, file, keys):
        own = file or self._relative(record["file"]) or "(unknown)"
        path = [str(part) for part in record["names"]]
        plain = "::".join([own, *path])
        test, number = plain, 1
        while test in keys:
            number += 1
            test = f"{plain}[{number}]"
        # The engine's counters go by the name alone: equal names share what they call.
        keys[test] = " > ".join(path if file else [record["file"], *path])
        selected = self._options.selected
        if selected and not any(test == s or test.startswith((s + "::", s + "[")) for s in selected):
            return
        shown = self._relative(record["file"]) or own
        result = {
            "kind": "test",
            "id": test,
            "outcome": record["outcome"],
            "duration": round(float(record["duration"]) / 1000, 6),
            "file": shown,
        }
        line = record.get("line") or self._line(shown, path[-1])
        if line:
            result["line"] = int(line)
        if record.get("message"):
            result["message"] = record["message"]
        self._write({"kind": "collected", "ids": [test]})
        self._write(result)

    def _relative(self, path):
        """Return a file as the project spells it, or an empty text where it lies elsewhere."""
        plain = plain_path(path)
        if not os.path.isabs(plain):
            return ""
        found = os.path.relpath(os.path.realpath(plain), self._root)
        return "" if found.startswith("..") else found.replace(os.sep, "/")

    def _line(self, file, title):
        """Return the line that holds a test's title between quotes, where there is only one."""
        if file not in self._texts:
            try:
                with open(os.path.join(self._root, file), encoding="utf-8", errors="replace") as source:
                    self._texts[file] = source.read()
            except OSError:
                self._texts[file] = ""
        found = re.findall("^.*[\"'`]" + re.escape(title) + "[\"'`]", self._texts[file], re.MULTILINE)
        if len(found) != 1:
            return 0
        return self._texts[file].count("\n", 0, self._texts[file].index(found[0])) + 1


def node_command(preload, flags, variables, root):
    """Return Node's argv with a preload of ours before any of the project's; takes `NODE_OPTIONS` over.

    Node runs each `--require` before the first `--import`: the project's are made imports too.
    """
    inherited = shlex.split(variables.pop("NODE_OPTIONS", ""))
    found, rest = [], [*inherited, *flags]
    while rest:
        flag = rest.pop(0)
        name, separator, value = flag.partition("=")
        if name in ("-r", "--require"):
            value = value if separator else (rest.pop(0) if rest else "")
            found.append("--import=" + _required(value, root))
        else:
            found.append(flag)
    return ["node", "--import=file://" + os.path.join(HERE, preload), *found]


def _required(name, root):
    """Return the address of a module that requires another one, as a file of the project would."""
    place = json.dumps(os.path.join(root, "package.json"))
    code = f"import {{createRequire}} from 'node:module';createRequire({place})({json.dumps(name)})"
    return "data:text/javascript," + quote(code)


def node_version(node):
    """Return the numbers of a Node's version."""
    text = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=False).stdout.decode()
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def find_package(root, name):
    """Return the folder of an installed package, in the project or in a folder around it, or None."""
    folder = os.path.realpath(root)
    while True:
        found = os.path.join(folder, "node_modules", name)
        if os.path.isfile(os.path.join(found, "package.json")):
            return found
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
