"""Where imports lead, who imports a file, and where a name is used."""

from __future__ import annotations

from pathlib import Path

import pytest

from greenline.guard.gate import Gate
from greenline.index.graph import ImportGraph, callers, references
from greenline.index.indexer import Indexer
from greenline.index.store import IndexStore

TREE = {
    "app/__init__.py": "",
    "app/core/error.py": "class Failed(Exception):\n    pass\n",
    "app/core/__init__.py": "from .error import Failed\n",
    "app/main.py": "import json\nfrom app.core.error import Failed\nfrom .core import error\n"
    "import app.core\n\n\ndef run():\n    raise Failed('Failed')\n",
    "other/error.py": "x = 1\n",
    "web/index.ts": "import { load } from './io'\nimport x from 'json'\nload(Failed)\n",
    "web/io/index.ts": "export const load = (name: string) => name\nexport * from '../shared.js'\n",
    "web/shared.ts": "export const shared = 1\n",
    "src/lib.rs": "mod store;\nuse crate::store::Box;\n",
    "src/store.rs": "pub struct Box;\n",
    "c/main.c": '#include "lib/put.h"\n#include <stdio.h>\nint main() { return put(1); }\n',
    "c/lib/put.h": "int put(int n);\n",
    "java/org/x/Use.java": "import org.x.in.Thing;\nclass Use { Thing t = new Thing(); }\n",
    "java/org/x/in/Thing.java": "package org.x.in;\npublic class Thing {}\n",
    "go/main.go": 'package main\nimport "example.org/m/go/store"\nfunc main() { store.Put() }\n',
    "go/store/a.go": "package store\nfunc Put() {}\n",
    "go/store/b.go": "package store\nfunc Get() {}\n",
    "rb/a.rb": "require_relative '../rb/lib/b'\n",
    "rb/lib/b.rb": "X = 1\n",
    "php/Use.php": "<?php\nuse App\\Model\\Box;\n$b = new Box();\n",
    "php/App/Model/Box.php": "<?php\nclass Box {}\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> IndexStore:
    home = tmp_path_factory.mktemp("graph")
    root = home / "root"
    for path, text in TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    index = Indexer(home / "index.db", [str(root)], Gate([str(root)]))
    index.scan()
    index.close()
    return IndexStore(home / "index.db")


def imported(store: IndexStore, path: str) -> list[str]:
    file = store.file(store.roots()[0], path)
    assert file is not None
    return [target.path for target in ImportGraph(store).imports(file)]


@pytest.mark.parametrize(
    ("path", "leads_to"),
    [
        ("app/main.py", ["app/core/error.py", "app/core/__init__.py"]),
        ("app/core/__init__.py", ["app/core/error.py"]),
        ("web/index.ts", ["web/io/index.ts"]),
        ("web/io/index.ts", ["web/shared.ts"]),
        ("src/lib.rs", ["src/store.rs"]),
        ("c/main.c", ["c/lib/put.h"]),
        ("java/org/x/Use.java", ["java/org/x/in/Thing.java"]),
        ("go/main.go", ["go/store/a.go", "go/store/b.go"]),
        ("rb/a.rb", ["rb/lib/b.rb"]),
        ("php/Use.php", ["php/App/Model/Box.php"]),
        ("other/error.py", []),
    ],
)
def test_an_import_leads_to_its_file(store: IndexStore, path: str, leads_to: list[str]) -> None:
    assert imported(store, path) == leads_to


@pytest.mark.parametrize("path", sorted(TREE))
def test_importers_are_the_other_end_of_imports(store: IndexStore, path: str) -> None:
    graph = ImportGraph(store)
    file = store.file(store.roots()[0], path)
    assert file is not None
    expected = [other.path for other in store.files() if file in graph.imports(other)]

    assert [importer.path for importer in graph.importers(file)] == sorted(expected)


def test_references_are_found_in_the_text_by_kind(store: IndexStore) -> None:
    found = [(r.file.path, r.line, r.column, r.kind) for r in references(store, "Failed")]

    assert found == [
        ("app/core/error.py", 1, 6, "definition"),
        ("app/core/__init__.py", 1, 19, "import"),
        ("app/main.py", 2, 27, "import"),
        ("app/main.py", 8, 10, "call"),
        ("app/main.py", 8, 18, "mention"),
        ("web/index.ts", 3, 5, "mention"),
    ]


def test_a_name_inside_another_is_no_reference(store: IndexStore) -> None:
    assert not references(store, "Fail")
    assert not references(store, "")


def test_callers_are_chunks_that_call_a_symbol(store: IndexStore) -> None:
    (symbol,) = store.symbols_named("Failed")

    assert [chunk.file.path for chunk in callers(store, symbol)] == ["app/main.py"]


def test_symbols_are_found_by_part_of_their_name(store: IndexStore) -> None:
    assert [symbol.name for symbol in store.symbols_like("ail")] == ["Failed"]
    assert not store.symbols_like("%")


def test_the_innermost_symbol_of_a_line_is_found(store: IndexStore) -> None:
    file = store.file(store.roots()[0], "app/main.py")
    assert file is not None

    symbol = store.symbol_at(file.id, 8)

    assert symbol is not None
    assert (symbol.name, symbol.file.path) == ("run", "app/main.py")
    assert Path(symbol.file.root).name == "root"
