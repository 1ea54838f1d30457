/** Runs `greenline doctor` and says what is missing, with the remedy. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { doctorMarkdown, readFindings } from "../core/doctor";
import { serverEnvironment } from "../core/settings";
import { notRunning } from "../core/status";
import { readSettings } from "./config";
import { activeFolder } from "./folders";
import type { Pages } from "./pages";
import { KEY_SECRET, type Server } from "./server";

const LIMIT_MS = 60_000;

/** Examine the server's surroundings and show the findings. */
export async function doctor(server: Server, pages: Pages, secrets: vscode.SecretStorage): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const remedy = "Choose “Workspaces: Manage Workspace Trust”.";
    await pages.note("doctor", doctorMarkdown(server.state, "", [{ name: "trust", ok: false, detail: notRunning("untrusted"), remedy }]));
    return;
  }
  const found = server.find();
  if (found.kind === "missing") {
    const remedy = "Choose “Agent: install the server”.";
    await pages.note("doctor", doctorMarkdown(server.state, "", [{ name: "server", ok: false, detail: found.reason, remedy }]));
    return;
  }
  const root = (activeFolder() ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath ?? ".";
  const env = serverEnvironment(process.env, readSettings(), await secrets.get(KEY_SECRET));
  const options = { location: vscode.ProgressLocation.Notification, title: "Agent: looking what is there" };
  const output = await vscode.window.withProgress(options, () => run(found.command, ["doctor", "--root", root, "--json"], env));
  await pages.note("doctor", doctorMarkdown(server.state, found.command, readFindings(output)));
}

/** Return what a program prints; one that fails has its say too. */
function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, [...args], { env, timeout: LIMIT_MS }, (error, stdout, stderr) => {
      resolve(stdout.trim() || stderr.trim() || (error?.message ?? ""));
    });
  });
}
