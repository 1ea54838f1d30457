/** What goes wrong around the editor: each is said once, in words, and the work goes on when it is over. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { freePort, GREENLINE, ROOT } from "./host.ts";
import { inWindow } from "./session.ts";
import { until, type Window } from "./window.ts";

const FILE = "ledger/discount.py";
const OLD = "if quantity > pieces:";
/** Short, since the path of a socket has hardly more than a hundred bytes. */
const ENGINE_STATE = mkdtempSync("/tmp/greenline-engine-");
const TURNS = ["plan", "score", "edit", "end", "plan", "score", "edit", "end", "late", "late", "late"].map((what) => {
  switch (what) {
    case "plan":
      return call("submit_plan", { entries: [{ intent: "Begin a step with its own number", files: [FILE] }], risk: "None." });
    case "score":
      return call("submit_score", { score: 9 });
    case "edit":
      return call("edit_file", { path: FILE, search: OLD, replace: "if quantity >= pieces:" });
    case "late":
      return { content: "late", delay_s: 300 };
    default:
      return { content: "Begins a step with its own number." };
  }
});

let window: Window;
let port = 0;
let model: ChildProcess | undefined;

function call(name: string, args: Record<string, unknown>): Record<string, unknown> {
  return { tool_calls: [{ name, arguments: args }] };
}

/** Start or stop an engine of these tests' own; returns its address when it starts. */
function engine(what: "start" | "stop"): string {
  const env = { ...process.env, XDG_STATE_HOME: ENGINE_STATE };
  return execFileSync("bash", [join(ROOT, "sandbox/engine.sh"), what], { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

async function startModel(): Promise<void> {
  const script = join(tmpdir(), `greenline-failure-${String(process.pid)}.json`);
  writeFileSync(script, JSON.stringify(TURNS));
  const python = join(GREENLINE, "../python");
  model = spawn(python, ["-m", "greenline.model.scripted_server", script, "--port", String(port)], { stdio: "ignore" });
  await until("the model listens", () =>
    fetch(`http://127.0.0.1:${String(port)}/`).then(
      () => true,
      () => false,
    ),
  );
}

async function implement(): Promise<void> {
  await window.open(FILE);
  await window.command("Agent: implement…");
  await window.type("Begin a step with its own number.");
}

inWindow(async () => {
  port = await freePort();
  return {
    settings: {
      "greenline.server.environment": { DOCKER_HOST: engine("start") },
      "greenline.model": "openai/scripted",
      "greenline.apiBase": `http://127.0.0.1:${String(port)}/v1`,
      "greenline.maxIterations": 1,
    },
  };
}, async (opened) => {
  window = opened;
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
});

beforeEach(() => window.tidy());

afterAll(() => {
  model?.kill();
  engine("stop");
  rmSync(ENGINE_STATE, { recursive: true, force: true });
});

test("a model that cannot be reached is said once, with its address, and is asked again once it is there", async () => {
  const address = new RegExp(`127\\.0\\.0\\.1:${String(port)}`);
  await implement();
  await window.failure(address).waitFor({ timeout: 110_000 });
  await window.toast("Begin a step").waitFor({ state: "detached" });
  expect(await window.failure(address).count()).toBe(1);
  await window.clearToasts();
  await startModel();
  await implement();
  await window.toast(/1 change proposed: verified/).waitFor({ timeout: 110_000 });
});

test("a file that changed on the disk is said once, and its proposed change is placed on the new text", async () => {
  await window.open(FILE);
  await window.lens("✓ Accept").waitFor();
  writeFileSync(join(window.host.workspace, FILE), `# From elsewhere.\n${window.disk(FILE)}`);
  await window.toast("discount.py changed on the disk and was read again").waitFor();
  await until("the lens stands above its line again", async () => {
    const lens = await window.lens("✓ Accept").boundingBox();
    const line = await window.line(OLD).boundingBox();
    return lens !== null && line !== null && Math.abs(line.y - lens.y - lens.height) < 12;
  });
  expect(await window.toast("changed on the disk").count()).toBe(1);
  await window.clearToasts();
  await window.cursorOn("# From how many");
  await window.page.keyboard.press("End");
  await window.page.keyboard.type(" Typed.");
  await until("what was typed is saved", () => window.disk(FILE).includes("Typed."));
  await window.lens("↩ Reject").click();
  await window.lens("↩ Reject").waitFor({ state: "detached" });
  expect(await window.toast("changed on the disk").count()).toBe(0);
});

test("an engine that is stopped is said once, and is used again once it is back", async () => {
  engine("stop");
  await implement();
  const told = window.toast(/1 change proposed: untested.*sandbox\/engine\.sh/);
  await told.waitFor({ timeout: 110_000 });
  await window.statusBar().filter({ hasText: "no sandbox" }).waitFor();
  expect(await window.toast("sandbox/engine.sh").count()).toBe(1);
  await window.clearToasts();
  engine("start");
  await window.command("Agent: verify again");
  await window.lens("verified").waitFor({ timeout: 60_000 });
  await window.statusBar().filter({ hasText: "no sandbox" }).waitFor({ state: "detached" });
});

test("a server that is killed at work is said once, and its run can be taken up again", async () => {
  await implement();
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  process.kill(window.serverProcess(), "SIGKILL");
  await window.toast(/ended unexpectedly and was started again/).waitFor({ timeout: 60_000 });
  await window.statusBar().filter({ hasText: /Greenline (ready|\d+ to review)/ }).waitFor({ timeout: 60_000 });
  await window.progress("Begin a step").waitFor({ state: "detached" });
  expect(await window.page.locator(".notification-toast").count()).toBe(1);
  await window.clearToasts();
  const row = window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "interrupted" }).first();
  await until("the run is among those that can be resumed", async () => {
    // The agent of the killed server may take a moment to end, and its run goes on until then.
    await window.command("Agent: resume a run…");
    const isThere = await row.waitFor({ timeout: 3_000 }).then(() => true, () => false);
    if (!isThere) {
      await window.page.keyboard.press("Escape");
    }
    return isThere;
  });
  await row.click();
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  await window.command("Agent: cancel");
  await window.statusBar().filter({ hasText: /Greenline (ready|\d+ to review)/ }).waitFor({ timeout: 60_000 });
});

test("an agent whose process is killed is said once, and the next request starts another", async () => {
  await window.clearToasts();
  await implement();
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  await until("the model is asked", () => window.workerProcesses().length === 1);
  const [worker = 0] = window.workerProcesses();
  process.kill(worker, "SIGKILL");
  await window.toast(/agent's process ended unexpectedly.*resume a run to go on/).waitFor({ timeout: 60_000 });
  await window.statusBar().filter({ hasText: /Greenline (ready|\d+ to review)/ }).waitFor({ timeout: 60_000 });
  await window.progress("Begin a step").waitFor({ state: "detached" });
  expect(await window.page.locator(".notification-toast").count()).toBe(1);
  await window.clearToasts();
  await implement();
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  await until("another one works", () => window.workerProcesses().some((id) => id !== worker));
  await window.command("Agent: cancel");
  await window.statusBar().filter({ hasText: /Greenline (ready|\d+ to review)/ }).waitFor({ timeout: 60_000 });
});
