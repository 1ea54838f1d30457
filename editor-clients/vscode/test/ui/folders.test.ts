/** A workspace of several folders: each request has its own, and all that is shown says which. The tests follow one another. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { openFolders, picture } from "./host.ts";
import { inWindow } from "./session.ts";
import { until, type Window } from "./window.ts";

const APP = "def add(a, b):\n    return a - b\n";
const FIXED = "return a + b";
const TESTS = `from stock import add


def test_add():
    assert add(2, 3) == 5


def test_nothing():
    assert add(4, 0) == 4
`;
const SHOP = "../shop/stock.py";
const SITE = "../site/front.py";
const LEDGER = "ledger/discount.py";
let window: Window;

inWindow(() => ({ folders: { shop: { "stock.py": APP, "test_sum.py": TESTS } } }), async (opened) => {
  window = opened;
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
});

beforeEach(() => window.tidy());

/** Make a folder that no window has open yet. */
function makeSite(): void {
  mkdirSync(join(window.host.base, "site"));
  writeFileSync(join(window.host.base, "site/front.py"), APP);
  writeFileSync(join(window.host.base, "site/test_all.py"), TESTS.replace("from stock", "from front"));
}

async function says(text: string): Promise<void> {
  await window.statusBar().filter({ hasText: text }).waitFor({ timeout: 60_000 });
}

function row(text: string | RegExp): ReturnType<Window["page"]["locator"]> {
  return window.page.locator(".pane-body .monaco-list-row").filter({ hasText: text });
}

test("fix failing tests is about the folder of the active file, and leaves the others alone", async () => {
  await window.open("stock.py");
  await window.command("Agent: fix failing tests");
  await window.progress("make the failing tests pass (shop)").waitFor();
  await window.toast(/1 change proposed: verified\. shop: /).waitFor({ timeout: 110_000 });
  await window.lens("✓ Accept").waitFor();
  await says("1 to review in shop");
  await window.clearToasts();
  await picture(window.page, "folders");
  await window.open(LEDGER);
  expect(await window.lens("✓ Accept").count()).toBe(0);
});

test("without an active file it asks which folder", async () => {
  await window.command("Agent: fix failing tests");
  const rows = window.page.locator(".quick-input-list .monaco-list-row");
  await rows.filter({ hasText: "All folders" }).waitFor();
  expect(await rows.count()).toBe(3);
  await rows.filter({ hasText: /^ledger/ }).click();
  await window.toast(/1 change proposed: verified\. ledger: /).waitFor({ timeout: 110_000 });
  await says("2 to review");
});

test("the run tree says which folder each run changes", async () => {
  await window.command("Agent: show run");
  await row(/make the failing tests pass.*ledger · proposed/).waitFor();
  await row(/make the failing tests pass.*shop · proposed/).waitFor();
  await picture(window.page, "folders-runs");
});

test("the evidence names folder and test, and the status page the folders", async () => {
  await window.open("stock.py");
  await window.lens("verified").click();
  const evidence = await window.webview("Base against patched");
  const text = await evidence.locator("body").innerText();
  expect(text).toContain("shop/test_sum.py::test_add");
  expect(text).toContain("shop/stock.py:2");
  await window.closeTab("Evidence");
  await window.command("Agent: status");
  const status = await window.webview("Sandbox");
  expect(await status.locator("body").innerText()).toMatch(/Folders\s+ledger, shop/);
});

test("the review goes through the files of all folders", async () => {
  await window.command("Agent: review proposals");
  const diffs = window.page.locator(".multiDiffEntry");
  await diffs.filter({ hasText: "stock.py" }).first().waitFor({ timeout: 60_000 });
  await diffs.filter({ hasText: "discount.py" }).first().waitFor();
});

test("accept and undo in one folder leave the other one waiting", async () => {
  await window.open("stock.py");
  await window.lens("✓ Accept").click();
  await until("the file has it", () => window.disk(SHOP).includes(FIXED));
  await says("1 to review in ledger");
  await window.command("Agent: undo last accepted change");
  await window.toast("Undone in shop/stock.py").waitFor();
  await until("the file is as it was", () => window.disk(SHOP) === APP);
  await says("2 to review");
});

test("settings of the workspace's file count, and those of one folder do not", async () => {
  const first = window.serverProcess();
  mkdirSync(join(window.host.workspace, ".vscode"));
  writeFileSync(join(window.host.workspace, ".vscode/settings.json"), '{"greenline.index": false}');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(window.serverProcess()).toBe(first);
  openFolders(window.host.base, ["ledger", "shop"], { "greenline.index": false });
  await until("another server runs", () => !window.serverProcesses().includes(first) && window.serverProcesses().length === 1);
  await says("2 to review");
  await window.command("Agent: status");
  const status = await window.webview("Sandbox");
  expect(await status.locator("body").innerText()).toMatch(/Index\s+The index is switched off/);
});

test("what waits in a folder goes with it, and is back with it", async () => {
  await window.open("stock.py");
  await window.lens("✓ Accept").waitFor();
  openFolders(window.host.base, ["ledger"]);
  await says("1 to review");
  await window.lens("✓ Accept").waitFor({ state: "detached" });
  openFolders(window.host.base, ["ledger", "shop"]);
  await says("2 to review");
  await window.lens("✓ Accept").waitFor();
});

test("a folder that is added is served, and a run goes on while another one goes", async () => {
  makeSite();
  openFolders(window.host.base, ["ledger", "shop", "site"]);
  await window.page.locator(".explorer-folders-view .monaco-list-row").filter({ hasText: "site" }).first().waitFor();
  await window.open("front.py");
  await window.command("Agent: fix failing tests");
  await window.progress("make the failing tests pass (site)").waitFor();
  openFolders(window.host.base, ["ledger", "site"]);
  await window.toast(/1 change proposed: verified\. site: /).waitFor({ timeout: 110_000 });
  await window.lens("✓ Accept").click();
  await until("the file has it", () => window.disk(SITE).includes(FIXED));
  await window.command("Agent: undo last accepted change");
  await window.toast("Undone in site/front.py").waitFor();
  await until("the file is as it was", () => window.disk(SITE) === APP);
});
