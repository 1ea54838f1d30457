/** The main job without a model: failing tests, a verified change, reviewed inline. The tests follow one another. */
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeEach, expect, test } from "vitest";
import { unreadable } from "./contrast.ts";
import { picture } from "./host.ts";
import { inWindow } from "./session.ts";
import { until, type Window } from "./window.ts";
import { Wire } from "./wire.ts";

const FILE = "ledger/discount.py";
const OLD = "if quantity > pieces:";
const NEW = "if quantity >= pieces:";
/** Theme → the picture to take in it. */
const THEMES = [
  ["Light 2026", "evidence-light"], ["Light Modern", ""], ["Dark 2026", ""], ["Dark Modern", "evidence-dark"],
  ["Dark High Contrast", "evidence-high-contrast"], ["Light High Contrast", ""],
] as const;
let window: Window;

const wire = new Wire();
inWindow(() => ({ settings: { "greenline.server.path": wire.program } }), (opened) => {
  window = opened;
});

beforeEach(() => window.tidy());

afterAll(() => {
  wire.remove();
});

/** Open the file that has the proposed change, as most tests begin. */
async function openIt(): Promise<void> {
  await window.open(FILE);
  await window.lens("✓ Accept").waitFor();
}

/** Wait until the server has answered a hover of the line that holds a text; returns all its answers. */
async function answersAt(text: string): Promise<unknown[]> {
  const line = window.disk(FILE).split("\n").findIndex((one) => one.includes(text));
  await until(`a hover of line ${String(line + 1)} is answered`, () => wire.hoversOf(line).length > 0);
  return wire.hoversOf(line);
}

/** Take back what was accepted, so that it waits again. */
async function undoAccepted(): Promise<void> {
  await window.command("Agent: undo last accepted change");
  await window.toast("Undone in ledger/discount.py").waitFor();
  await window.lens("✓ Accept").waitFor();
  await window.clearToasts();
}

async function accepted(): Promise<void> {
  await window.line(NEW).waitFor();
  await window.lens("✓ Accept").waitFor({ state: "detached" });
}

test("the packaged extension starts the server, and the status bar says that it is ready", async () => {
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
});

test("installing what is installed says where it is, and leaves it to its work", async () => {
  const running = window.serverProcess();
  await window.command("Agent: install the server…");
  await window.toast(`The Greenline server is installed: ${wire.program}`).waitFor();
  expect(window.serverProcess()).toBe(running);
  await window.clearToasts();
});

test("undo of nothing says so", async () => {
  await window.command("Agent: undo last accepted change");
  await window.toast("there is nothing to undo").waitFor();
  expect(await window.failure(/./).count()).toBe(0);
  await window.clearToasts();
});

test("a server without a model says how to name one, once and in words", async () => {
  await window.open("ledger/money.py");
  await window.command("Agent: implement…");
  await window.type("Add a function that halves an amount.");
  const failure = window.failure(/needs a language model.*the setting greenline\.model/);
  await failure.waitFor({ timeout: 60_000 });
  await failure.locator(".monaco-button").filter({ hasText: "Select model…" }).waitFor();
  await window.progress("Add a function that halves").waitFor({ state: "detached" });
  expect(await window.failure(/language model/).count()).toBe(1);
  await window.clearToasts();
});

test("fix failing tests proposes a verified change and leaves buffer and disk as they are", async () => {
  await window.open(FILE);
  await window.command("Agent: fix failing tests");
  await window.toast(/1 change proposed: verified/).waitFor({ timeout: 110_000 });
  for (const title of ["✓ Accept", "↩ Reject", "? Why", "verified"]) {
    await window.lens(title).waitFor();
  }
  await window.clearToasts();
  await picture(window.page, "inline-review");
  expect(await window.text()).toContain(OLD);
  expect(await window.text()).not.toMatch(/^ *if quantity >= pieces:$/m);
  expect(window.disk(FILE)).toContain(OLD);
});

test("what would go is marked, and what would come stands beside it", async () => {
  await openIt();
  const beside = await window.page.evaluate(() =>
    [...document.querySelectorAll(".view-line span")].map((span) => getComputedStyle(span, "::after").content).join(),
  );
  expect(beside).toContain("⟶ if quantity >= pieces:");
  await window.statusBar().filter({ hasText: "1 to review" }).waitFor();
});

test("hover tells the diff, the evidence and the way to the run", async () => {
  await openIt();
  const hover = await window.hover("quantity > pieces");
  await hover.filter({ hasText: "13 tests pass, 1 of them failed before" }).waitFor();
  await hover.locator("a", { hasText: "Evidence" }).first().waitFor();
  await hover.locator("a", { hasText: "Run" }).first().waitFor();
  await picture(window.page, "hover");
  await window.page.keyboard.press("Escape");
});

test("hover says nothing on a line that nobody changes", async () => {
  await openIt();
  const hover = await window.hover("return percent");
  expect(await answersAt("return percent")).not.toContainEqual(expect.anything());
  expect(await hover.filter({ hasText: /Greenline ·/ }).count()).toBe(0);
  await window.page.keyboard.press("Escape");
  await window.hover(OLD);
  expect(await answersAt(OLD)).toContainEqual(expect.anything());
  await hover.filter({ hasText: /Greenline ·/ }).waitFor();
  await window.page.keyboard.press("Escape");
});

test("? Why shows the explanation at the place", async () => {
  await openIt();
  await window.lens("? Why").click();
  await window.page.locator(".monaco-hover:visible").filter({ hasText: "13 tests pass" }).waitFor();
  await window.page.keyboard.press("Escape");
});

test("explain this change opens an explanation beside the editor", async () => {
  await openIt();
  await window.cursorOn(OLD);
  await window.command("Agent: explain this change");
  const tab = window.page.locator(".tab").filter({ hasText: "Preview explanation.md" });
  await tab.waitFor({ timeout: 60_000 });
  await window.command("View: Close Editor");
  await tab.waitFor({ state: "detached" });
});

test("typing above moves the proposal along; saving does not take it in", async () => {
  await openIt();
  await window.cursorOn("# From how many");
  await window.page.keyboard.press("Home");
  await window.page.keyboard.type("# Typed meanwhile.\n");
  await until("the lens stands above its line again", async () => {
    const lens = await window.lens("✓ Accept").boundingBox();
    const line = await window.line(OLD).boundingBox();
    return lens !== null && line !== null && Math.abs(line.y - lens.y - lens.height) < 12;
  });
  await until("the file is saved", () => window.disk(FILE).includes("Typed meanwhile"));
  expect(window.disk(FILE)).toContain(OLD);
  expect(window.disk(FILE)).not.toContain(NEW);
});

test("one key opens the diff of the buffer against the proposed text, in one column, with the lenses", async () => {
  await openIt();
  await window.cursorOn(OLD);
  await window.page.keyboard.press("Alt+G");
  const diff = window.page.locator(".monaco-diff-editor");
  await diff.locator(".line-insert").first().waitFor({ timeout: 60_000 });
  await window.lens("✓ Accept").first().waitFor();
  await picture(window.page, "inline-diff");
  expect(await diff.first().getAttribute("class")).not.toContain("side-by-side");
  expect(await window.lens("? Why").count()).toBe(1);
});

test("accept in the diff changes the buffer, in one undo step", async () => {
  await openIt();
  await window.cursorOn(OLD);
  await window.page.keyboard.press("Alt+G");
  await window.page.locator(".monaco-diff-editor .line-insert").first().waitFor({ timeout: 60_000 });
  await window.lens("✓ Accept").click();
  await window.lens("✓ Accept").waitFor({ state: "detached" });
  await window.tidy();
  await window.open(FILE);
  await window.line(NEW).waitFor();
});

test("undo last takes the accepted change back, and it waits again", async () => {
  await window.open(FILE);
  await window.line(NEW).waitFor();
  await undoAccepted();
  await window.line(OLD).waitFor();
});

test("accept by lens is one undo step, and a key accepts too", async () => {
  await openIt();
  await window.lens("✓ Accept").click();
  await accepted();
  await window.cursorOn(NEW);
  await window.page.keyboard.press("Control+Z");
  await window.line(OLD).waitFor();
  await window.command("Agent: undo last accepted change");
  await window.toast("had taken the newest change back already; it waits for a review again").waitFor();
  await window.lens("✓ Accept").click();
  await accepted();
  await window.cursorOn(NEW);
  await window.page.keyboard.press("Control+Z");
  await window.line(OLD).waitFor();
  await window.page.keyboard.press("Control+Y");
  await window.line(NEW).waitFor();
  await undoAccepted();
  await window.cursorOn(OLD);
  await window.page.keyboard.press("Control+Alt+Y");
  await accepted();
  await undoAccepted();
});

test("a change in a file that is gone from the disk is asked about first", async () => {
  await openIt();
  const path = join(window.host.workspace, FILE);
  renameSync(path, `${path}.away`);
  await window.lens("✓ Accept").click();
  await window.toast("ledger/discount.py is not on the disk any more").waitFor();
  expect(await window.text()).not.toMatch(/^ *if quantity >= pieces:$/m);
  renameSync(`${path}.away`, path);
  await window.clearToasts();
  await window.lens("✓ Accept").click();
  await accepted();
  await undoAccepted();
});

test("the quick-diff peek has the same buttons", async () => {
  await openIt();
  await window.cursorOn(OLD);
  await window.command("Agent: peek at the change here");
  const peek = window.page.locator(".peekview-widget");
  await peek.locator(".line-insert").first().waitFor({ timeout: 60_000 });
  await picture(window.page, "quick-diff-peek");
  await window.page.keyboard.press("Escape");
  await nothingLeft(peek);
  for (const key of ["ArrowDown", "End", "#"]) {
    await window.page.keyboard.press(key);
  }
  await window.line("return percent#").waitFor();
  await window.page.keyboard.press("Backspace");

  await window.page.keyboard.press("ArrowUp");
  await window.page.keyboard.press("Shift+Alt+G");
  await peek.locator(".line-insert").first().waitFor({ timeout: 60_000 });
  await peek.locator('.action-label[aria-label^="accept the change here"]').first().click();
  await until("the buffer has the change", () => window.disk(FILE).includes(NEW));
  await nothingLeft(peek);
  await accepted();
  await undoAccepted();
});

/** Wait until a peek is gone with its tab, and the only file is in front again. */
async function nothingLeft(peek: Locator): Promise<void> {
  await peek.waitFor({ state: "detached" });
  await until("one tab is left", async () => (await window.page.locator(".tab").count()) === 1);
  await window.page.locator('.tab.active[aria-label^="discount.py"]').waitFor();
  await until("the file has the focus", () => window.page.evaluate(() => document.activeElement?.closest(".editor-instance") !== null));
}

test("verify again says what it measured", async () => {
  await window.command("Agent: verify again");
  await window.toast("Measured again: verified").waitFor({ timeout: 110_000 });
  await window.clearToasts();
});

test("Source Control lists the files that wait, and a click opens the diff", async () => {
  await window.command("Source Control: Focus on Changes View");
  const row = window.page.locator(".scm-view .monaco-list-row").filter({ hasText: "discount.py" });
  await row.click();
  await window.page.locator(".monaco-diff-editor .line-insert").first().waitFor({ timeout: 60_000 });
  await window.command("View: Close Editor");
});

test("the evidence page shows base against patched and loads nothing", async () => {
  await openIt();
  await window.open(FILE);
  await window.lens("verified").click();
  const page = await window.webview("Base against patched");
  expect(await page.locator("body").innerText()).toMatch(/base\s+12\s+1[\s\S]*patched\s+13\s+0/);
  expect(await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content")).toContain("default-src 'none'");
  for (const [theme, name] of THEMES) {
    await window.theme(theme);
    await page.locator(`body[data-vscode-theme-name="${theme}"]`).waitFor();
    expect(await unreadable(page, 4.5), theme).toEqual([]);
    if (name !== "") {
      await picture(window.page, name);
    }
  }
  await window.theme("Light Modern");
  await window.closeTab("Evidence");
});

test("the run tree leads from the run to its entries, steps and evidence", async () => {
  await window.command("Agent: show run");
  const rows = window.page.locator(".pane-body .monaco-list-row");
  await rows.filter({ hasText: "make the failing tests pass" }).first().waitFor();
  await rows.filter({ hasText: "Evidence: verified" }).first().waitFor();
  await rows.filter({ hasText: /candidates tried/ }).first().waitFor();
  await picture(window.page, "runs");
});

test("the status page names engine, model and index", async () => {
  await window.command("Agent: status");
  const page = await window.webview("Sandbox");
  expect(await page.locator("body").innerText()).toMatch(/Sandbox\s+docker[\s\S]*Model[\s\S]*repair engine[\s\S]*Index/);
  await window.closeTab("Greenline");
});

test("doctor says what is there", async () => {
  await window.command("Agent: doctor");
  await window.page.locator(".tab").filter({ hasText: "Preview doctor.md" }).waitFor({ timeout: 60_000 });
  const page = await window.webview("interpreter");
  expect(await page.locator("body").innerText()).toContain("✓ greenline");
  await window.closeTab("Preview doctor.md");
});

test("the context menu of the editor offers what the palette does", async () => {
  await window.open(FILE);
  await window.line("return percent").click({ button: "right" });
  const agent = window.page.locator(".monaco-menu .action-item").filter({ hasText: /^Agent$/ });
  await agent.hover();
  for (const title of ["implement…", "write tests", "accept the change here"]) {
    await window.page.locator(".monaco-menu .action-item").filter({ hasText: title }).first().waitFor();
  }
  await picture(window.page, "context-menu");
  await window.page.keyboard.press("Escape");
  await window.page.keyboard.press("Escape");
});

test("a killed server is started again with a message, and what waited still waits", async () => {
  await openIt();
  process.kill(window.serverProcess(), "SIGKILL");
  await window.toast(/ended unexpectedly and was started again/).waitFor({ timeout: 60_000 });
  await window.statusBar().filter({ hasText: "1 to review" }).waitFor({ timeout: 60_000 });
  await window.lens("✓ Accept").waitFor();
  await window.clearToasts();
});

test("reject leaves the text as it is", async () => {
  await openIt();
  const before = await window.text();
  await window.lens("↩ Reject").click();
  await window.lens("↩ Reject").waitFor({ state: "detached" });
  expect(await window.text()).toBe(before);
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor();
});
