/** The main job without a model: failing tests, a verified change, reviewed inline. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openBrowser, picture, startHost, type Host } from "./host.ts";
import { until, Window } from "./window.ts";

const OLD = "        if quantity > pieces:";
const NEW = "        if quantity >= pieces:";
let host: Host;
let browser: Browser;
let window: Window;

beforeAll(async () => {
  host = await startHost();
  const opened = await openBrowser(host.url);
  browser = opened.browser;
  window = new Window(opened.page, host);
});

afterEach(async (context) => {
  if (context.task.result?.state === "fail") {
    await picture(window.page, `failed-${context.task.name.replace(/\W+/g, "-")}`);
  }
});

afterAll(async () => {
  await browser.close();
  await host.stop();
});

test("the packaged extension starts the server, and the status bar says that it is ready", async () => {
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
});

test("fix failing tests proposes a verified change and leaves the buffer as it is", async () => {
  await window.open("ledger/discount.py");
  await window.command("Agent: fix failing tests");
  await window.toast(/1 change proposed: verified/).waitFor({ timeout: 110_000 });
  await window.lens("✓ Accept").waitFor();
  await window.lens("↩ Reject").waitFor();
  await window.lens("? Why").waitFor();
  await window.lens("verified").waitFor();
  await picture(window.page, "inline-review");
  expect(await window.text()).toContain(OLD);
  expect(await window.text()).not.toContain(`\n${NEW}`);
  expect(window.disk("ledger/discount.py")).toContain(OLD);
});

test("accept is one undo step", async () => {
  await window.lens("✓ Accept").click();
  await window.line("quantity >= pieces").waitFor();
  await until("the lens is gone", async () => (await window.lens("✓ Accept").count()) === 0);
  await window.cursorOn("quantity >= pieces");
  await window.page.keyboard.press("Control+Z");
  await window.line("quantity > pieces").waitFor();
});
