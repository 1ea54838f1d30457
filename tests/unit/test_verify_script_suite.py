"""What a patch puts around tests of JavaScript's that stay as they were, and what is honest there."""

from __future__ import annotations

import time

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.loosened import loosened
from greenline.verify.script_import import Source, imports, replaced
from greenline.verify.test_body import bodies, outside

PATH = "test/board.test.ts"
VITEST = "import { describe, expect, it, vi } from 'vitest';\n"
SUBJECT = "import { Board, summary } from '../src/board';\n"
BODY = """
describe('Board', () => {
  it('sums up', () => {
    expect(summary(new Board())).toBe('0 open');
  });
});
"""
STRICT = "import assert from 'node:assert/strict';\n"
PLAIN = "import assert from 'node:assert';\n"
ASSERTS = "import { low } from '../src/low.js';\n\ntest('low', () => {\n  assert.equal(low(1), true);\n});\n"
TYPED = VITEST + SUBJECT + BODY
SPIES = "vi.spyOn(Board.prototype, 'list').mockReturnValue([]);\n"
ALIAS = "const own = Board.prototype;\nObject.assign(own, { list() {} });\n"
REQUIRED = "const assert = require('assert').strict;\n"
GROUP = """
describe('new', () => {
  beforeEach(() => {
    Board.prototype.list = vi.fn();
  });
  it('is new', () => {
    expect(summary(1)).toBe(1);
  });
});
"""


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def names(before: str, after: str, **more: str) -> set[str]:
    """Return the tests that a change to their file loosens; `more` are files that come along."""
    product = {"src/board.ts": "", "src/api.ts": "", "src/low.js": "", "test/helper.ts": ""}
    new = {f"test/{name}.ts": text for name, text in more.items()}
    trees = tree({**product, PATH: before}), tree({**product, **new, PATH: after})
    return {name for _, name in loosened(*trees, [PATH, *new], [PATH]).places}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TYPED, VITEST + SUBJECT + "vi.mock('../src/board', () => ({ summary: () => '0 open' }));\n" + BODY),
        (TYPED, VITEST + SUBJECT + "vi.mock(import('../src/board.js'), () => ({}));\n" + BODY),
        (TYPED, TYPED + "\nit('new', () => {\n  vi.mock('../src/board', () => ({}));\n});\n"),
        (TYPED, VITEST + SUBJECT + "Board.prototype.list = () => [];\n" + BODY),
        (TYPED, VITEST + SUBJECT + ALIAS + BODY),
        (TYPED, TYPED.replace("  it(", f"  beforeEach(() => {{\n    {SPIES}  }});\n  it(")),
        (TYPED, VITEST + SUBJECT + "jest.retryTimes(3);\n" + BODY),
        (TYPED, TYPED.replace("('sums up', ()", "('sums up', { retry: 3 }, ()")),
        (TYPED, VITEST + "import { Board } from '../src/board';\nconst summary = () => '0 open';\n" + BODY),
        (STRICT + ASSERTS, PLAIN + ASSERTS),
        (STRICT + ASSERTS, "import { assert } from 'chai';\n" + ASSERTS),
        (REQUIRED + ASSERTS, REQUIRED.replace(".strict", "") + ASSERTS),
        ("import { strict as assert } from 'assert';\n" + ASSERTS, PLAIN + ASSERTS),
        (
            "import { deepStrictEqual as same } from 'assert';\ntest('a', () => same(low(1), 1));\n",
            "import { deepEqual as same } from 'assert';\ntest('a', () => same(low(1), 1));\n",
        ),
    ],
)  # fmt: skip
def test_what_stands_above_old_tests_and_replaces_what_they_are_about_loosens_them(
    before: str, after: str
) -> None:
    assert names(before, after)


FAKED = "import { Board, summary } from './fake';\n"


def test_a_file_of_the_tests_own_in_the_place_of_the_product_loosens_them() -> None:
    assert names(TYPED, VITEST + FAKED + BODY, fake="export const summary = () => '0 open';\n")
    assert names(PLAIN + ASSERTS, "import assert from './assert';\n" + ASSERTS, **{"assert": ""})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TYPED, VITEST + SUBJECT + "vi.mock('../src/api', () => ({ get: vi.fn() }));\n" + BODY),
        (TYPED, VITEST + SUBJECT + "vi.mock('../src/new-module', () => ({}));\n" + BODY),
        (TYPED, VITEST + SUBJECT + "vi.useFakeTimers();\nglobalThis.fetch = vi.fn();\n" + BODY),
        (TYPED, TYPED + f"\nit('new', () => {{\n  {SPIES}}});\n"),
        (TYPED, TYPED + GROUP),
        (TYPED, TYPED + "\nit.each([[1]])('new %s', (n) => {\n  Board.limit = n;\n  expect(n);\n});\n"),
        (TYPED, TYPED + "\nit('new', () => {\n  const retry = 1;\n  expect(retry).toBe(1);\n});\n"),
        (PLAIN + ASSERTS, STRICT + ASSERTS),
        (PLAIN + ASSERTS, "import assert from 'assert';\n" + ASSERTS),
        (STRICT + ASSERTS, "import { strict as assert } from 'node:assert';\n" + ASSERTS),
        (STRICT + ASSERTS, "const assert = require('assert').strict;\n" + ASSERTS),
        (TYPED, VITEST + "import { Board, Kind, summary } from '../src/board.js';\n" + BODY),
        (TYPED, VITEST + "import { Board, summary } from '../src/api';\n" + BODY),
        (TYPED, SUBJECT + BODY),
    ],
)  # fmt: skip
def test_what_leaves_old_tests_what_they_were_loosens_nothing(before: str, after: str) -> None:
    assert not names(before, after)


def test_imports_have_one_form() -> None:
    text = (
        "import a, { b as c, type T } from 'x';\nimport * as d from 'node:assert';\n"
        "const e = require('assert').strict;\nconst { f: g, h } = require('./y');\n"
        "import type { Z } from 'z';\n"
        "// import no from 'no'\n"
    )

    assert imports(text) == {
        "a": Source("x"),
        "c": Source("x", "b"),
        "T": Source("x", "T"),
        "d": Source("assert"),
        "e": Source("assert/strict"),
        "g": Source("./y", "f"),
        "h": Source("./y", "h"),
    }


@pytest.mark.parametrize(
    "text",
    ["import" + " " * 5000, "import a" + " \n" * 5000 + "import b " * 900, "vi.spyOn(Board, " * 5000],
)
def test_imports_of_a_long_text_are_read_quickly(text: str) -> None:
    started = time.monotonic()
    assert not imports(text)
    assert not [*replaced(text, frozenset({"Board"}))]
    assert time.monotonic() - started < 2


def test_a_spy_that_only_watches_is_no_replacement_whatever_comes_later() -> None:
    watched = "const seen = vi.spyOn(Board.prototype, 'list')\nconst api = vi.fn().mockReturnValue(1)\n"

    assert not [*replaced(watched, frozenset({"Board"}))]
    assert [*replaced("vi.spyOn(\n  Board,\n  'list',\n).mockReturnValue(1);\n", frozenset({"Board"}))]


@pytest.mark.parametrize("call", ["test('a', ", "describe('a', ", "it.each([", "it.each`"])
def test_calls_that_are_never_closed_are_read_quickly(call: str) -> None:
    started = time.monotonic()
    outside(call * 3000, frozenset({"a.a"}))
    bodies("a.test.js", call * 3000)
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    "line",
    [
        "import {test, describe} from 'node:test';\n",
        "import { it as test } from 'node:test';\n",
        "const { test } = require('node:test');\n",
        "const test = require('node:test');\n",
    ],
)
def test_the_test_function_of_node_is_one_however_it_is_imported(line: str) -> None:
    assert not names("import test from 'node:test';\n" + PLAIN + ASSERTS, line + PLAIN + ASSERTS)


ROUTE = (
    "const route = { path: '/', retry: 3 };\nconst queue = makeQueue('a', { retry: 3 });\n// { retry: 3 }\n"
)


def test_only_options_of_tests_run_them_again() -> None:
    assert not names(TYPED, VITEST + SUBJECT + ROUTE + BODY)
    assert names(TYPED, TYPED.replace("('Board', ", "('Board', { retry: 3 }, "))
    assert names(TYPED, VITEST + SUBJECT + "vi.setConfig({ testTimeout: 9, retry: 3 });\n" + BODY)


HELPER = "function fake() {\n  Board.prototype.list = () => [];\n}\n"
ARROW = "const fake = async (limit: number): Promise<void> => {\n  Board.prototype.list = () => [];\n};\n"
NEW = "\nit('new', () => {\n  fake();\n  expect(1).toBe(1);\n});\n"


@pytest.mark.parametrize("helper", [HELPER, ARROW])
def test_what_a_helper_does_that_only_new_tests_call_is_nothing_to_the_old_ones(helper: str) -> None:
    assert not names(TYPED, VITEST + SUBJECT + helper + BODY + NEW)


@pytest.mark.parametrize("helper", [HELPER, ARROW])
@pytest.mark.parametrize(
    "call",
    [
        "beforeEach(fake);\n",
        "fake();\n",
        "const again = () => fake();\nagain();\n",
        "beforeEach(() => {\n  fake();\n});\n",
    ],
)
def test_what_a_helper_does_that_is_called_for_all_tests_loosens_the_old_ones(helper: str, call: str) -> None:
    assert names(TYPED, VITEST + SUBJECT + helper + call + BODY + NEW)
    assert names(TYPED, TYPED.replace("  it(", f"{call}  it(") + helper)


def test_a_function_that_is_called_where_it_stands_loosens_the_old_tests() -> None:
    at_once = "const done = function () {\n  Board.prototype.list = () => [];\n}();\n"

    assert names(TYPED, VITEST + SUBJECT + at_once + BODY)
    assert names(TYPED, VITEST + SUBJECT + f"({HELPER.rstrip()})();\n" + BODY)
