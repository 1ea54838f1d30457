"""Our reporter in Go's package testing, by `go build -overlay`: no file of Go's or the project's changes.

Each place that is changed is looked for in the sources of the Go that is there; a Go without it is refused.
"""

import json
import os
import re
import tempfile

_SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "go", "report.go.txt")
_CHANGES = (
    ("testing.go", r"func \(t \*T\) report\(\) \{\n\tif t\.parent == nil \{\n\t\treturn\n\t\}\n",
     r"\g<0>\tgreenlineTest(&t.common, t.name)\n"),
    ("testing.go", r"return &M\{((?:.*\n)*?)\t\}\n", r"return greenlineM(&M{\1\t})\n"),
    ("testing.go", r"func \(m \*M\) after\(\) \{\n", r"\g<0>\tdefer greenlineEnd(m)\n"),
    ("fuzz.go", r"func \(f \*F\) report\(\) \{\n", r"\g<0>\tgreenlineTest(&f.common, f.name)\n"),
    ("example.go", r"func \(eg \*InternalExample\) processRunResult\(.*\) \(passed bool\) \{\n",
     r"\g<0>\tdefer func() { greenlineExample(eg.Name, passed && recovered == nil, timeSpent) }()\n"),
)  # fmt: skip
_OUTPUT = re.compile(r"^\toutput +\[\]byte", re.MULTILINE)
_WITH_OUTPUT = """
func greenlineOutput(c *common) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return string(c.output)
}
"""
_WITHOUT_OUTPUT = """
func greenlineOutput(_ *common) string { return "" }
"""


def write_overlay(goroot):
    """Write the overlay into a new folder; return its path, or None where this Go's testing is not known."""
    testing = os.path.join(goroot, "src", "testing")
    folder = tempfile.mkdtemp(prefix="greenline-go-")
    changed = {}
    for name, pattern, replacement in _CHANGES:
        text = changed.get(name) or _read(os.path.join(testing, name))
        changed[name], n_found = re.subn(pattern, replacement, text, count=1)
        if not n_found:
            return None
    has_output = _OUTPUT.search(_read(os.path.join(testing, "testing.go")))
    changed["greenline_report.go"] = _read(_SOURCE) + (_WITH_OUTPUT if has_output else _WITHOUT_OUTPUT)
    replaced = {}
    for name, text in changed.items():
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        replaced[os.path.join(testing, name)] = path
    overlay = os.path.join(folder, "overlay.json")
    with open(overlay, "w", encoding="utf-8") as file:
        json.dump({"Replace": replaced}, file)
    return overlay


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""
