/** VS Code's command `code FOLDER`: its server, and a window in a browser in which a person's steps are taken.
 *
 * Usage: `first.ts DATA FOLDER`; `DATA` is where VS Code keeps its settings and extensions.
 */
import { resolve } from "node:path";
import { openBrowser, serve } from "../ui/host.ts";
import { Window, until } from "../ui/window.ts";
import { talk, type Order } from "./talk.ts";

const FILE = "ledger/discount.py";
const NEW = "if quantity >= pieces:";
const LIMIT_MS = 300_000;
/** What has words to click on: buttons, lenses, and entries of the status bar. */
const CLICKED = ".monaco-button, .codelens-decoration a, .statusbar-item";

/** What holds once a step is done. */
const EFFECTS: Readonly<Record<string, (window: Window) => Promise<unknown>>> = {
  asked: (window) => window.page.locator(".workspace-trust-editor .monaco-button").first().waitFor({ timeout: LIMIT_MS }),
  ready: (window) => window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: LIMIT_MS }),
  proposed: (window) => window.toast(/1 change proposed: verified/).waitFor({ timeout: LIMIT_MS }),
  shown: (window) => window.lens("✓ Accept").waitFor({ timeout: LIMIT_MS }),
  accepted: async (window) => {
    await window.line(NEW).waitFor({ timeout: LIMIT_MS });
    await window.lens("✓ Accept").waitFor({ state: "detached", timeout: LIMIT_MS });
  },
  saved: (window) => until("the file is written", () => window.disk(FILE).includes(NEW), LIMIT_MS),
};

/** Take a step as it stands in the README: a command of the palette, a key, or what a button or lens says. */
async function take(window: Window, step: string): Promise<void> {
  if (step.startsWith("Agent: ")) {
    await window.command(step);
  } else if (/^(Ctrl|Alt|Shift)\+/.test(step)) {
    await window.page.keyboard.press(step.replace("Ctrl", "Control"));
  } else {
    const whole = new RegExp(`^\\s*${step}\\s*$`);
    await window.page.locator(CLICKED).filter({ hasText: whole }).filter({ visible: true }).first().click();
  }
}

const [data, folder] = process.argv.slice(2).map((path) => resolve(path));
if (data === undefined || folder === undefined) {
  throw new Error("usage: first.ts DATA FOLDER");
}
const served = await serve(data, folder, { ...process.env, EXTENSIONS_GALLERY: '{"serviceUrl":""}' });
const { browser, page } = await openBrowser(served.url);
try {
  const window = new Window(page, { url: served.url, workspace: folder, base: data, stop: () => served.stop() });
  const act = async ({ step, until: effect }: Order): Promise<object> => {
    await take(window, String(step));
    await EFFECTS[String(effect)]?.(window);
    return {};
  };
  await talk({ open: () => Promise.resolve({}), take: act }, page);
} finally {
  await browser.close();
  await served.stop();
}
