/** Measures what a person at VS Code waits for; `python -m bench editors` runs it.
 *
 * Prints JSON lines: `{workspace, state}` once it is ready, `{phase}` before each phase, `{times}` after it.
 * Between the phases it waits for a line on its standard input, which says that the work may begin or has begun.
 */
import { createInterface } from "node:readline/promises";
import type { Page } from "playwright-core";
import { openBrowser, startHost } from "../ui/host.ts";
import { packProbe, Probe } from "../ui/probe.ts";
import { until, Window } from "../ui/window.ts";

const FILE = "ledger/discount.py";
const PLACE = { file: FILE, line: 9, character: 8 };
const WANTED = { hover: "+        if quantity >= pieces:", action: "Agent: accept" };
const N = Number(process.argv[2] ?? "60");
const PAUSE_MS = 50;
const WIDE = 40;

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Type letters at the end of the file; returns the milliseconds from each key to the frame that shows its letter. */
async function keys(page: Page, window: Window, n: number): Promise<number[]> {
  await window.cursorOn("return 0");
  await page.keyboard.press("Control+End");
  const times: number[] = [];
  for (let number = 0; number < n; number += 1) {
    if (number % WIDE === 0) {
      await page.keyboard.type("\n# ");
      await page.waitForTimeout(500);
    }
    const shown = page.evaluate(() => shownAfterKey());
    await page.keyboard.press("x");
    times.push(await shown);
    await page.waitForTimeout(PAUSE_MS);
  }
  return times;
}

/** In the page: resolves with the milliseconds from the next key to the frame in which the text has one letter more. */
function shownAfterKey(): Promise<number> {
  return new Promise((resolve) => {
    const letters = (): number => (document.querySelector(".editor-instance .view-lines")?.textContent.match(/x/g) ?? []).length;
    const before = letters();
    let pressed = 0;
    addEventListener("keydown", (event) => { pressed = event.timeStamp; }, { capture: true, once: true });
    const look = (): void => {
      if (pressed > 0 && letters() > before) {
        resolve(performance.now() - pressed);
      } else {
        requestAnimationFrame(look);
      }
    };
    requestAnimationFrame(look);
  });
}

async function phase(name: string, page: Page, window: Window, probe: Probe): Promise<void> {
  say({ phase: name });
  const { hover, action } = await probe.sample(N, PLACE, WANTED);
  say({ times: { hover, action, key: await keys(page, window, N) } });
}

/** Keep a run under way until it is told to stop, and put away what it proposes. */
async function work(probe: Probe, isOver: () => boolean): Promise<number> {
  const refused = async (): Promise<{ hunkId: string }[]> =>
    (await probe.lenses(FILE)).filter(({ command }) => command === "greenline.rejectHunk").map((lens) => lens.arguments[0] as { hunkId: string });
  const first = new Set((await refused()).map(({ hunkId }) => hunkId));
  let ended = 0;
  while (!isOver()) {
    await probe.command("greenline.fixTests");
    const more = (await refused()).filter(({ hunkId }) => !first.has(hunkId));
    if (more.length === 0 && !isOver()) {
      throw new Error("a run under load proposed nothing");
    }
    ended += 1;
    for (const reference of more) {
      await probe.command("greenline.rejectHunk", reference);
    }
  }
  return ended;
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const host = await startHost({ extensions: [await packProbe()], settings: { "files.autoSave": "off" } });
const { browser, page } = await openBrowser(host.url);
try {
  const window = new Window(page, host);
  const probe = new Probe(host);
  await page.evaluate(`globalThis.shownAfterKey = ${shownAfterKey.toString()}`);
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 120_000 });
  await window.open(FILE);
  await probe.command("greenline.fixTests");
  await window.lens("✓ Accept").waitFor({ timeout: 120_000 });
  await window.clearToasts();
  say({ workspace: host.workspace, state: `${host.base}/state` });
  await lines.next();
  await phase("idle", page, window, probe);
  await lines.next();
  let over = false;
  const working = work(probe, () => over);
  await until("a run is under way", async () => (await window.statusBar().filter({ hasText: "working" }).count()) > 0, 60_000);
  await phase("at work", page, window, probe);
  over = true;
  await probe.command("greenline.cancel");
  say({ runs: await working });
} finally {
  await browser.close();
  await host.stop();
}
process.exit(0);
