"""Configuration of Node's runners after which tests whose text stays say less, and honest configuration."""

from __future__ import annotations

import json

import pytest

from greenline.core.port import StagedFile, Tree
from greenline.verify.path_rule import PathRule
from greenline.verify.script_option import weakened_scripts

PRODUCT = "export class Cart {}\nexport default Cart;\n"
CONFIG = (
    "import {{ defineConfig }} from 'vitest/config';\nexport default defineConfig({{ test: {{ {} }} }});\n"
)
PATCHING = "import { Cart } from '../src/cart.js';\n"
PATCHING += "Object.defineProperty(Cart.prototype, 'in', { value: () => 10 });\n"
MATCHERS = (
    "import '@testing-library/jest-dom';\nexpect.extend({ toBeEven(n) { return { pass: n % 2 === 0 }; } });\n"
)


def tree(files: dict[str, str]) -> Tree:
    return {path: StagedFile(text.encode()) for path, text in files.items()}


def package(script: str = "node --test", **more: object) -> str:
    return json.dumps({"name": "cart", "scripts": {"test": script}, **more})


def found(patch: dict[str, str], base: dict[str, str] | None = None) -> list[str]:
    """Return what a patch to a small project makes weaker."""
    old = {"package.json": package(), "src/cart.js": PRODUCT, **(base or {})}
    before, after = tree(old), tree({**old, **patch})
    rule = PathRule.of(before, after)
    paths = [path for path in after if before.get(path) != after[path] and not rule.is_product(path)]
    return [*weakened_scripts(before, after, paths, rule.is_product)]


@pytest.mark.parametrize(
    "patch",
    [
        {"vitest.config.ts": CONFIG.format("retry: 3")},
        {"vitest.config.ts": CONFIG.format("dangerouslyIgnoreUnhandledErrors: true")},
        {"vitest.config.ts": CONFIG.format("update: true")},
        {"vite.config.ts": "export default { plugins: [{ transform(code, id) { return ''; } }] };\n"},
        {".mocharc.json": '{ "retries": 2 }\n'},
        {".mocharc.yml": "retries: 2\n"},
        {"package.json": package("mocha --retries 2")},
        {"package.json": package("vitest run --retry=3")},
        {"package.json": package("vitest run -u")},
        {"package.json": package("jest --updateSnapshot")},
        {"package.json": package("node --test --test-update-snapshots")},
        {"package.json": package("jest", jest={"automock": True})},
    ],
)
def test_options_that_let_a_failure_pass_are_named(patch: dict[str, str]) -> None:
    assert len(found(patch)) == 1


SETUP = {"test/setup.mjs": PATCHING}


@pytest.mark.parametrize(
    "patch",
    [
        {"package.json": package("node --test --import ./test/setup.mjs"), **SETUP},
        {"package.json": package("node --require=./test/setup.mjs --test"), **SETUP},
        {"package.json": package("NODE_OPTIONS='--import ./test/setup.mjs' node --test"), **SETUP},
        {"package.json": package("jest", jest={"setupFilesAfterEnv": ["<rootDir>/test/setup.mjs"]}), **SETUP},
        {"vitest.config.ts": CONFIG.format("setupFiles: ['./test/setup.mjs']"), **SETUP},
        {"vitest.config.ts": CONFIG.format("globalSetup: 'test/setup'"), **SETUP},
        {"vitest.config.ts": CONFIG.format("setupFiles: join(__dirname, 'test', 'setup.mjs')"), **SETUP},
        {
            "vitest.config.ts": CONFIG.format(
                "include: ['test/*.ts'], setupFiles: './test/setup.mjs', exclude: ['**/x']"
            ),
            **SETUP,
        },
        {
            ".mocharc.json": '{ "require": "./test/boot.js" }\n',
            "test/boot.js": "require.cache[require.resolve('../src/cart.js')] = { exports: {} };\n",
        },
        {".mocharc.cjs": PATCHING.replace("../", "./") + "module.exports = {};\n"},
        {".mocharc.json": '{ "require": "test/setup.mjs" }\n', **SETUP},
        {".mocharc.yml": "require:\n  - ./test/setup.mjs\n", **SETUP},
        {
            ".mocharc.json": '{ "require": "./test/boot.mjs" }\n',
            "test/boot.mjs": "import './setup.mjs';\n",
            **SETUP,
        },
        {
            "vitest.config.ts": CONFIG.format("setupFiles: './test/setup.ts'"),
            "test/setup.ts": "import { vi } from 'vitest';\nvi.mock('../src/cart', () => ({}));\n",
        },
        {
            "vitest.config.ts": CONFIG.format("setupFiles: './test/setup.ts'"),
            "test/setup.ts": "import { Cart } from 'cart';\nCart.prototype.total = () => 6;\n",
        },
        {
            "package.json": package("jest", jest={"setupFilesAfterEnv": ["./test/setup.js"]}),
            "test/setup.js": "expect.extend({ toEqual: () => ({ pass: true }) });\n",
        },
        {
            "package.json": package("jest", jest={"setupFilesAfterEnv": ["./test/setup.js"]}),
            "test/setup.js": "jest.retryTimes(3);\n",
        },
        {
            ".mocharc.json": '{ "require": "./test/boot.js" }\n',
            "test/boot.js": "const assert = require('assert');\nassert.deepEqual = () => {};\n",
        },
    ],
)
def test_files_loaded_before_the_tests_that_replace_what_they_are_about_are_named(
    patch: dict[str, str],
) -> None:
    assert len(found(patch)) == 1


def test_a_file_that_was_loaded_already_is_asked_for_what_is_new_in_it() -> None:
    base = {".mocharc.json": '{ "require": "./test/setup.mjs" }\n', "test/setup.mjs": PATCHING}

    assert not found({"test/setup.mjs": PATCHING + "globalThis.now = () => 0;\n"}, base)
    assert found({"test/setup.mjs": PATCHING + "Cart.prototype.add = () => 1;\n"}, base)


@pytest.mark.parametrize(
    "patch",
    [
        {"vitest.config.ts": CONFIG.format("environment: 'jsdom', retry: 0, testTimeout: 20_000")},
        {"vitest.config.ts": CONFIG.format("// retry: 3\n  globals: true")},
        {".mocharc.json": '{ "spec": "test/**/*.js", "timeout": 5000 }\n'},
        {"package.json": package("mocha -u tdd")},
        {"package.json": package("c8 node --test --import tsx")},
        {"package.json": package("node --test", retry="1.0.0")},
        {"package.json": json.dumps({"name": "cart", "scripts": {"test": "node --test", "retry": "x.sh"}})},
        {"vitest.config.ts": CONFIG.format("include: ['test/**/*.ts'] /* retry: 3 */")},
        {"vitest.config.ts": CONFIG.format("setupFiles: ['./test/setup.ts']"), "test/setup.ts": MATCHERS},
        {
            "vitest.config.ts": CONFIG.format("setupFiles: ['./test/setup.ts']"),
            "test/setup.ts": "import { Cart } from '../src/cart';\nglobalThis.fetch = vi.fn();\n"
            "beforeEach(() => {\n  globalThis.cart = new Cart();\n});\n",
        },
        {
            "vitest.config.ts": CONFIG.format("setupFiles: ['./test/setup.ts']"),
            "test/setup.ts": "import { server } from './server';\nbeforeAll(() => server.listen());\n",
            "test/server.ts": "export const server = setupServer();\nserver.limit = 3;\n",
        },
        {"other/package.json": package("mocha --retries 2"), "other/a.js": ""},
        {"test/setup.mjs": PATCHING},
    ],
)
def test_honest_configuration_is_nothing(patch: dict[str, str]) -> None:
    assert not found(patch)


def test_product_code_that_was_there_may_change_its_own_parts() -> None:
    base = {"src/main.js": "import { Cart } from './cart.js';\nCart.prototype.sum = () => 1;\n"}
    patch = {"vite.config.ts": "export default { build: { lib: { entry: './src/main.js' } } };\n"}

    assert not found(patch, base)
    assert found({**base, "package.json": package("node --test --import ./src/main.js")})


MORE = {"test": "node --test", "data": "curl --retry 3 x", "test:update": "vitest -u"}


@pytest.mark.parametrize(
    "patch",
    [
        {"package.json": json.dumps({"name": "cart", "scripts": MORE})},
        {"package.json": package("curl --retry 3 x && node --test")},
        {"vite.config.js": "export default { server: { proxy: { retry: 3 } }, test: { globals: true } };\n"},
        {
            "package.json": package("mocha test/cart.js"),
            "test/cart.js": PATCHING.partition("\n")[0]
            + "\nit('a', () => {\n  Cart.prototype.in = 1;\n});\n",
        },
        {"package.json": "[" * 100_000, "vitest.config.js": "a" * 100_000},
    ],
)
def test_what_no_runner_of_the_tests_reads_is_nothing(patch: dict[str, str]) -> None:
    assert not found(patch)


def test_options_in_scripts_that_the_tests_reach_are_named() -> None:
    scripts = {"test": "npm run test:unit", "test:unit": "mocha --retries 2"}

    assert found({"package.json": json.dumps({"name": "cart", "scripts": scripts})})
    assert found({"vite.config.js": "export default { test: { retry: 3 } };\n"})
    assert found({"package.json": json.dumps({"name": "cart", "jest": {"automock": True}})})
