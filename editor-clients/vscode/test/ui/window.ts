/** One VS Code window: what a person does in it, and what they see. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import type { Host } from "./host.ts";

export class Window {
  constructor(
    readonly page: Page,
    readonly host: Host,
  ) {}

  /** Run a command from the palette by its whole title. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press("F1");
    const box = this.page.locator(".quick-input-widget input.input");
    await box.waitFor();
    await box.fill(`>${title}`);
    const exact = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    const row = this.page.locator(".quick-input-list .monaco-list-row .label-name").filter({ hasText: exact }).first();
    await row.click({ timeout: 30_000 });
  }

  /** Open a file through quick open. */
  async open(file: string): Promise<void> {
    await this.page.keyboard.press("Control+P");
    const box = this.page.locator(".quick-input-widget input.input");
    await box.waitFor();
    await box.fill(file);
    const name = file.split("/").at(-1) ?? file;
    await this.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name }).first().click();
    await this.page.locator(".tab.active").filter({ hasText: name }).waitFor();
    await this.page.locator(".editor-instance .view-line").first().waitFor();
  }

  /** Answer an input box. */
  async type(text: string): Promise<void> {
    const box = this.page.locator(".quick-input-widget input.input");
    await box.waitFor();
    await box.fill(text);
    await this.page.keyboard.press("Enter");
  }

  lens(text: string | RegExp): Locator {
    return this.page.locator(".codelens-decoration a").filter({ hasText: text });
  }

  line(text: string): Locator {
    return this.page.locator(".editor-instance .view-line").filter({ hasText: text });
  }

  toast(text: string | RegExp): Locator {
    return this.page.locator(".notification-toast").filter({ hasText: text });
  }

  /** Push a button of a notification. */
  async choose(message: string | RegExp, button: string): Promise<void> {
    const toast = this.toast(message).first();
    await toast.waitFor({ timeout: 60_000 });
    await toast.locator(".monaco-button").filter({ hasText: new RegExp(`^${button}$`) }).click();
  }

  /** Return the status bar item's label, which says everything that it shows on hover. */
  async status(): Promise<string> {
    return (await this.page.locator("#greenline\\.greenline\\.greenline").first().textContent()) ?? "";
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
        .map((line) => (line.textContent ?? "").replace(/\u00a0/g, " "))
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

  /** Close every notification, widget and editor; what was not saved is dropped. */
  async tidy(): Promise<void> {
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("Escape");
    await this.command("Notifications: Clear All Notifications");
    await this.command("View: Revert and Close Editor").catch(() => undefined);
    await this.command("View: Close All Editors");
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
