/** Measures what a person at this VS Code waits for: hovers, code actions and keys, in a file and beside Greenline.
 *
 * Beside it: in a document that Greenline does not see, where an extension gives the same answers at once.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT, openBrowser, startHost } from "../ui/host.ts";
import { Window, until } from "../ui/window.ts";
import { timeToSight } from "./drawn.ts";
import { talk, type Order } from "./talk.ts";

const FILE = "ledger/discount.py";
const OLD = "if quantity > pieces:";
const CONTROL = new URL("control", import.meta.url).pathname;
const LINE = ".editor-group-container.active .view-line";
const HOVER = { selector: ".monaco-hover", texts: ["13 tests pass, 1 of them failed before", "+        if quantity >= pieces:"] };
const ACTIONS = { selector: ".action-widget", texts: ["Agent: accept", "Agent: reject"] };
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const WIDE = 40;
const PAUSE_MS = 50;

interface Said {
  readonly nRuns?: number;
  readonly failed?: string;
  readonly times?: object;
  readonly done?: string;
}

class Desk {
  private nLines = 0;

  constructor(
    private readonly window: Window,
    private readonly said: string,
  ) {}

  /** Have the fault repaired as a person does, and have the control learn Greenline's answers. */
  async begin(): Promise<object> {
    const { window } = this;
    await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
    await window.open(FILE);
    await window.command("Agent: fix failing tests");
    await window.toast(/1 change proposed: verified/).waitFor({ timeout: 110_000 });
    await window.clearToasts();
    await this.goTo();
    await window.command("Bench: learn");
    await this.hear("learn");
    return { workspace: window.host.workspace, version: await this.version() };
  }

  async sample({ n, where }: Order): Promise<object> {
    await (where === "file" ? this.window.open(FILE) : this.openControl());
    await this.goTo();
    const times: Record<string, number[]> = { hover: [], "code action": [], key: [] };
    for (let number = 0; number < Number(n); number += 1) {
      await this.page.keyboard.press("Control+K");
      times["hover"]?.push(await timeToSight(this.page, "Control+I", HOVER));
      await this.putAway(HOVER.selector);
      times["code action"]?.push(await timeToSight(this.page, "Control+.", ACTIONS));
      await this.putAway(ACTIONS.selector);
    }
    times["key"] = await this.keys(Number(n));
    if (where === "file") {
      await this.window.command("File: Revert File");
      await this.window.lens("✓ Accept").first().waitFor();
    }
    return { times, nRuns: this.heard().at(-1)?.nRuns ?? 0 };
  }

  /** Return the times of answers that an extension asks for, and nothing draws. */
  async ask({ n }: Order): Promise<object> {
    await this.window.open(FILE);
    await this.goTo();
    writeFileSync(join(this.said, "..", "n"), String(n));
    const timed = (): Said[] => this.heard().filter(({ times }) => times !== undefined);
    const nBefore = timed().length;
    await this.window.command("Bench: ask");
    await until("the answers came", () => timed().length > nBefore, 600_000);
    return { times: timed().at(-1)?.times, nRuns: this.heard().at(-1)?.nRuns ?? 0 };
  }

  async tell(what: "work" | "rest"): Promise<object> {
    await this.window.command(`Bench: ${what}`);
    await this.hear(what);
    return {};
  }

  private get page(): Window["page"] {
    return this.window.page;
  }

  private async openControl(): Promise<void> {
    await this.window.open(FILE);
    await this.window.command("Bench: control");
    await this.page.locator(".tab.active").filter({ hasText: "Untitled" }).waitFor();
    await this.page.locator(LINE).filter({ hasText: OLD }).first().waitFor();
  }

  private async goTo(): Promise<void> {
    const line = this.window.disk(FILE).split("\n").findIndex((text) => text.includes(OLD)) + 1;
    // A lens that comes or goes amid the click moves the lines.
    await until("the cursor is on the change", async () => {
      await this.page.locator(LINE).filter({ hasText: OLD }).first().click();
      return (await this.window.cursorLine()) === line;
    });
    // The mouse would bring a hover of its own.
    const bar = await this.page.locator(".part.statusbar").boundingBox();
    await this.page.mouse.move((bar?.x ?? 0) + (bar?.width ?? 0) / 2, (bar?.y ?? 0) + 2);
    await this.pause();
  }

  private async putAway(selector: string): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.page.locator(`${selector}:visible`).first().waitFor({ state: "detached" });
    await this.pause();
  }

  /** Type a comment at the end of the text; each letter makes a line that was not there before. */
  private async keys(n: number): Promise<number[]> {
    const times: number[] = [];
    let line = "";
    await this.page.keyboard.press("Control+End");
    for (let number = 0; number < n; number += 1) {
      if (number % WIDE === 0) {
        this.nLines += 1;
        line = `# ${String(this.nLines)}. `;
        await this.page.keyboard.press("Enter");
        await this.page.keyboard.type(line);
        await this.page.waitForTimeout(500);
      }
      const letter = LETTERS[number % LETTERS.length] ?? "x";
      line += letter;
      times.push(await timeToSight(this.page, letter, { selector: LINE, texts: [line] }));
      await this.pause();
    }
    return times;
  }

  private pause(): Promise<void> {
    return this.page.waitForTimeout(PAUSE_MS);
  }

  /** Wait until the extension beside Greenline's has done something. */
  private async hear(what: string): Promise<void> {
    await until(`the control has done: ${what}`, () => this.heard().some(({ done }) => done === what), 60_000);
  }

  private heard(): Said[] {
    const lines = readFileSync(this.said, { encoding: "utf8", flag: "a+" }).split("\n").slice(0, -1);
    const said = lines.map((line) => JSON.parse(line) as Said);
    const failed = said.find((one) => one.failed !== undefined);
    if (failed !== undefined) {
      throw new Error(failed.failed);
    }
    return said;
  }

  private async version(): Promise<string> {
    const agent = await this.page.evaluate(() => navigator.userAgent);
    return /Chrome\/\d+/.exec(agent)?.[0] ?? agent;
  }
}

const packed = `${CONTROL}.vsix`;
const pack = ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", packed];
execFileSync(process.execPath, [join(CLIENT, "node_modules/@vscode/vsce/vsce"), ...pack], { cwd: CONTROL, stdio: "ignore" });
const host = await startHost({
  extensions: [packed],
  // What the desktop has, and the browser's VS Code has not.
  settings: { "files.autoSave": "off" },
});
const { browser, page } = await openBrowser(host.url);
try {
  const desk = new Desk(new Window(page, host), join(host.workspace, "..", "said.jsonl"));
  const acts = {
    begin: () => desk.begin(),
    sample: (order: Order) => desk.sample(order),
    ask: (order: Order) => desk.ask(order),
    work: () => desk.tell("work"),
    rest: () => desk.tell("rest"),
  };
  await talk(acts, page);
} finally {
  await browser.close();
  await host.stop();
}
