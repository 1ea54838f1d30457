/** Before there is a server: what a new user sees, what is asked, and what is not done without asking. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GREENLINE, picture } from "./host.ts";
import { inWindow } from "./session.ts";
import type { Window } from "./window.ts";

let window: Window;

inWindow(() => ({ asksForTrust: true, settings: { "greenline.server.path": "" } }), (opened) => {
  window = opened;
});

test("in a workspace that is not trusted nothing is started", async () => {
  await window.statusBar().waitFor({ timeout: 90_000 });
  await window.page.locator('.statusbar-item[aria-label*="waits until you trust"]').waitFor();
  expect(window.serverProcesses()).toEqual([]);
});

test("a command says so before it asks for words, and doctor says it too", async () => {
  for (const title of ["Agent: implement…", "Agent: plan…", "Agent: fix failing tests"]) {
    await window.command(title);
    await window.failure(/starts no program before you trust this workspace/).waitFor();
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await window.clearToasts();
  }
  await window.command("Agent: doctor");
  const page = await window.webview("The server is waiting for your trust.");
  expect(await page.locator("body").innerText()).toContain("before you trust this workspace");
  await window.tidy();
  expect(window.serverProcesses()).toEqual([]);
  await window.command("Agent: status");
  await window.choose(/starts no program/, "Manage trust");
  await window.page.locator(".workspace-trust-editor").waitFor();
});

test("once it is trusted, a missing server is said, with the exact command that would install it", async () => {
  await window.trust();
  await window.choose(/not on PATH/, "Install…");
  const row = window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: /greenline-[\d.]+-py3-none-any\.whl/ });
  await row.first().waitFor();
  await picture(window.page, "install");
  await row.first().click();
  const dialog = window.page.locator(".monaco-dialog-box");
  await dialog.filter({ hasText: /py3-none-any\.whl/ }).waitFor();
  await dialog.locator(".monaco-button").filter({ hasText: "Cancel" }).click();
  expect(window.serverProcesses()).toEqual([]);
});

test("naming the server in the settings starts it; without an engine the bar says so", async () => {
  const file = join(window.host.base, "srv/data/Machine/settings.json");
  const settings = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  settings["greenline.server.environment"] = { DOCKER_HOST: "unix:///nonexistent/docker.sock" };
  settings["greenline.server.path"] = GREENLINE;
  writeFileSync(file, JSON.stringify(settings));
  await window.statusBar().filter({ hasText: "no sandbox" }).waitFor({ timeout: 90_000 });
  await picture(window.page, "no-sandbox");
});
