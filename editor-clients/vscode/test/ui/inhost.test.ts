/** Calls the tests of `test/inhost`, which run inside the extension host of the real VS Code, one by one. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as http from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { SOCKET, TESTS } from "../inhost/suite.ts";
import { CLIENT } from "./host.ts";
import { inWindow } from "./session.ts";
import { until, type Window } from "./window.ts";

/** Short, since the path of a socket has hardly more than a hundred bytes. */
const COMPANION = mkdtempSync("/tmp/greenline-inhost-");
const DOOR = join(COMPANION, "door");
let window: Window;

/** Make the extension in whose name the tests run: another one than Greenline, with nothing of its own. */
async function makeCompanion(): Promise<void> {
  const manifest = { name: "companion", publisher: "greenline-test", version: "0.0.1", engines: { vscode: "^1.91.0" }, extensionKind: ["workspace"] };
  writeFileSync(join(COMPANION, "package.json"), JSON.stringify(manifest));
  await build({
    entryPoints: [join(CLIENT, "test/inhost/suite.ts")], outfile: join(COMPANION, "suite.js"),
    bundle: true, external: ["vscode"], format: "cjs", platform: "node", target: "node20",
  });
}

/** Run one test over there; resolves with what went wrong, or nothing. */
function call(name: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: DOOR, path: `/${encodeURIComponent(name)}` }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => {
        resolve(response.statusCode === 200 ? "" : text || "it failed without a word");
      });
    });
    request.on("error", reject);
    request.end();
  });
}

inWindow(async () => {
  await makeCompanion();
  return { companion: COMPANION, environment: { [SOCKET]: DOOR }, settings: { "files.autoSave": "off" } };
}, async (opened) => {
  window = opened;
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
  await until("the tests can be called", () => call("ready?").then(() => true, () => false), 60_000);
});

afterAll(() => {
  rmSync(COMPANION, { recursive: true, force: true });
});

test("a test over there that is not there, or throws, fails here", async () => {
  expect(await call("no such test")).toContain("there is no test “no such test”");
});

for (const name of Object.keys(TESTS)) {
  test(name, async () => {
    expect(await call(name)).toBe("");
  });
}

test("with its window the server ends", async () => {
  expect(window.serverProcesses()).toHaveLength(1);
  await window.page.close();
  await until("no server is left", () => window.serverProcesses().length === 0, 60_000);
});
