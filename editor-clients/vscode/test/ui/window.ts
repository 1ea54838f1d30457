/** One VS Code window: what a person does in it, and what they see. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Locator, Page } from "playwright-core";
import type { Host } from "./host.ts";

export class Window {
  constructor(
    readonly page: Page,
    readonly host: Host,
  ) {}

  /** Run a command from the palette by its whole title. */
  async command(title: string): Promise<void> {
    const box = this.page.locator(".quick-input-widget input.input");
    const exact = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    const row = this.page.locator(".quick-input-list .monaco-list-row .label-name").filter({ hasText: exact }).first();
    const deadline = Date.now() + 30_000;
    for (;;) {
      if (await this.page.evaluate(() => document.activeElement?.tagName === "IFRAME")) {
        await this.focus();
      }
      await this.page.keyboard.press("F1");
      try {
        await box.waitFor({ timeout: 5_000 });
        await box.fill(`>${title}`, { timeout: 5_000 });
        await row.click({ timeout: 5_000 });
        return;
      } catch (error) {
        // A page that was just shown takes the focus a moment later, and that closes the palette.
        if (Date.now() > deadline) {
          throw error;
        }
      }
    }
  }

  /** Open a file through quick open. */
  async open(file: string): Promise<void> {
    await this.page.keyboard.press("Control+P");
    const box = this.page.locator(".quick-input-widget input.input");
    await box.waitFor();
    await box.fill(file);
    const name = file.split("/").at(-1) ?? file;
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name }).first().click();
    await this.page.locator(".tab.active").filter({ hasText: name }).first().waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Answer an input box. */
  async type(text: string): Promise<void> {
    const box = this.page.locator(".quick-input-widget input.input");
    await box.waitFor();
    // The palette is the same box, and still there while its command begins.
    await until("the palette is gone", async () => !(await box.inputValue()).startsWith(">"));
    await box.fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** Attach an image of the workspace in the box that asks for a request, through the dialog that its button opens. */
  async attach(name: string): Promise<void> {
    const box = this.page.locator(".quick-input-widget");
    await box.locator('.action-label[aria-label="Attach an image…"]').click();
    const path = box.locator("input.input");
    const wanted = join(this.host.workspace, name);
    // The dialog writes its own folder into the box until it has read it, over what is typed meanwhile.
    await until("the dialog has found the file", async () => {
      const shown = await path.inputValue();
      if (shown.startsWith("/") && shown !== wanted) {
        await path.fill(wanted);
      }
      return (await path.inputValue()) === wanted && (await box.locator(".monaco-list-row").filter({ hasText: name }).count()) > 0;
    });
    await this.page.keyboard.press("Enter");
    await until("the dialog is gone", async () => !(await path.inputValue()).startsWith("/"));
  }

  lens(text: string | RegExp): Locator {
    // The left side of a diff in one column is there too, and hidden.
    return this.page.locator(".codelens-decoration a:not(.editor.original *)").filter({ hasText: text });
  }

  line(text: string): Locator {
    return this.page.locator(".editor-instance .view-line").filter({ hasText: text });
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  /** Return the notifications of errors; those of progress may tell the same words while they go. */
  failure(text: RegExp): Locator {
    return this.toast(text).filter({ has: this.page.locator(".codicon-error") });
  }

  /** A notification with these words that is no failure, as one of progress. */
  progress(text: string): Locator {
    return this.toast(text).filter({ hasNot: this.page.locator(".codicon-error") });
  }

  /** Push a button of a notification. */
  async choose(message: string | RegExp, button: string): Promise<void> {
    const toast = this.toast(message).first();
    await toast.waitFor({ timeout: 60_000 });
    await toast.locator(".monaco-button").filter({ hasText: new RegExp(`^${button}$`) }).click();
  }

  statusBar(): Locator {
    return this.page.locator(".statusbar-item").filter({ hasText: "Greenline" });
  }

  /** Return the text that the active editor shows. */
  text(): Promise<string> {
    return this.page.evaluate(() => {
      const lines = [...document.querySelectorAll<HTMLElement>(".editor-group-container.active .editor-instance .view-line")];
      return lines
        .sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top))
        .map((line) => line.textContent.replace(/\u00a0/g, " "))
        .join("\n");
    });
  }

  /** Read a file of the workspace from the disk. */
  disk(file: string): string {
    return readFileSync(join(this.host.workspace, file), "utf8");
  }

  /** Put the cursor on a line that holds a text. */
  async cursorOn(text: string): Promise<void> {
    await this.line(text).first().click();
  }

  /** Push everything aside, so that a test begins where a person would. */
  async tidy(): Promise<void> {
    await this.focus();
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Control+Shift+Alt+F9");
    await this.page.locator(".editor-group-container .tab").first().waitFor({ state: "detached" });
    await this.page.locator(".notification-toast").first().waitFor({ state: "detached" });
    await this.page.mouse.move(640, 300);
  }

  /** Take the focus out of a page inside the page, where keys go astray: click where the status bar is empty. */
  async focus(): Promise<void> {
    const bar = await this.page.locator(".part.statusbar").boundingBox();
    if (bar !== null) {
      await this.page.mouse.click(bar.x + bar.width / 2, bar.y + bar.height / 2);
    }
  }

  async clearToasts(): Promise<void> {
    await this.command("Notifications: Clear All Notifications");
    await this.page.locator(".notification-toast").first().waitFor({ state: "detached" });
  }

  /** Show the hover of the line that holds a text; returns it. */
  async hover(text: string): Promise<Locator> {
    await this.cursorOn(text);
    await this.command("Show or Focus Hover");
    return this.page.locator(".monaco-hover:visible");
  }

  /** Replace a word of a line with the keyboard, as a person would. */
  async replaceInLine(line: string, from: string, to: string): Promise<void> {
    const text = await this.line(line).first().textContent();
    const at = (text ?? "").replace(/\u00a0/g, " ").indexOf(from);
    if (at < 0) {
      throw new Error(`no ${from} in the line ${line}`);
    }
    await this.cursorOn(line);
    await this.page.keyboard.press("Home");
    for (let n = 0; n < at; n += 1) {
      await this.page.keyboard.press("ArrowRight");
    }
    for (let n = 0; n < from.length; n += 1) {
      await this.page.keyboard.press("Shift+ArrowRight");
    }
    await this.page.keyboard.insertText(to);
  }

  /** Return the line of the cursor, from 1, as the status bar tells it. */
  async cursorLine(): Promise<number> {
    const text = await this.page.locator(".statusbar-item").filter({ hasText: /Ln \d+/ }).first().textContent();
    return Number(/Ln (\d+)/.exec(text ?? "")?.[1] ?? 0);
  }

  /** Return the page inside a webview that shows a text. */
  async webview(text: string): Promise<Frame> {
    let found: Frame | undefined;
    await until(`a webview with ${text}`, async () => {
      for (const frame of this.page.frames()) {
        if (frame.parentFrame() !== null && (await frame.locator("body").innerText({ timeout: 1000 }).catch(() => "")).includes(text)) {
          found = frame;
        }
      }
      return found !== undefined;
    }, 60_000);
    return found ?? this.page.mainFrame();
  }

  async theme(name: string): Promise<void> {
    await this.command("Preferences: Color Theme");
    await this.type(name);
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  async closeTab(name: string): Promise<void> {
    const tab = this.page.locator(".tab").filter({ hasText: name }).first();
    await tab.click();
    await this.command("View: Close Editor");
    await tab.waitFor({ state: "detached" });
  }

  /** Trust the workspace, as its editor lets one. */
  async trust(): Promise<void> {
    if ((await this.page.locator(".workspace-trust-editor:visible").count()) === 0) {
      // The palette knows the command only some time after the bar shows that there is something to trust.
      await this.page.locator(".statusbar-item").filter({ hasText: "Restricted Mode" }).click();
    }
    await this.page.locator(".workspace-trust-editor .monaco-button").filter({ hasText: /^Trust$/ }).first().click();
  }

  /** Return the processes of `greenline serve` that belong to this window. */
  serverProcesses(): number[] {
    return this.processes((command) => command.includes("serve"));
  }

  /** Return the processes of the agent that belong to this window. */
  workerProcesses(): number[] {
    return this.processes((command) => command.includes("greenline.app") && !command.includes("index"));
  }

  private processes(isWanted: (command: readonly string[]) => boolean): number[] {
    const mine = `GREENLINE_STATE_DIR=${join(this.host.base, "state")}`;
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .filter((name) => isWanted(readProcess(name, "cmdline").split("\0")) && readProcess(name, "environ").split("\0").includes(mine))
      .map(Number);
  }

  /** Return the environment of a process. */
  environment(id: number): string {
    return readProcess(String(id), "environ");
  }

  /** Return what the settings of the machine and of the user say. */
  userSettings(): string {
    const data = join(this.host.base, "srv/data");
    return ["Machine", "User"].map((kind) => readFileSync(join(data, kind, "settings.json"), "utf8")).join("\n");
  }

  serverProcess(): number {
    const [first, ...more] = this.serverProcesses();
    if (first === undefined || more.length > 0) {
      throw new Error(`one server was expected, not ${String(more.length + (first === undefined ? 0 : 1))}`);
    }
    return first;
  }
}

function readProcess(id: string, what: string): string {
  try {
    return readFileSync(`/proc/${id}/${what}`, "utf8");
  } catch {
    return "";
  }
}

/** Wait until a condition holds; fails with `what` after a time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`not within ${String(limitMs)} ms: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
