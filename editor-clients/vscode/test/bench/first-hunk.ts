/** The last steps of a new user's way in VS Code, from the installed extension to the accepted hunk in the file.
 *
 * `python -m bench editors` runs it: `first-hunk.ts BASE HOME WORKSPACE COMMAND LENS`; it prints a JSON line as
 * each step ends.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openBrowser, startInstalled } from "../ui/host.ts";
import { until, Window } from "../ui/window.ts";

const FILE = "ledger/discount.py";
const [base = "", home = "", workspace = "", command = "", lens = ""] = process.argv.slice(2);

function say(step: string): void {
  process.stdout.write(`${JSON.stringify({ [step]: true })}\n`);
}

const host = await startInstalled(base, home, workspace);
const { browser, page } = await openBrowser(host.url);
try {
  const window = new Window(page, host);
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 120_000 });
  say("the editor");
  await window.open(FILE);
  await window.command(command);
  await window.toast(/1 change proposed: verified/).waitFor({ timeout: 300_000 });
  say("a verified change");
  await window.clearToasts();
  await window.lens(lens).click();
  await window.lens(lens).waitFor({ state: "detached" });
  await page.keyboard.press("Control+S");
  await until("the file is saved", () => readFileSync(join(workspace, FILE), "utf8").includes("quantity >= pieces"));
  say("accepted and saved");
} finally {
  await browser.close();
  await host.stop();
}
process.exit(0);
