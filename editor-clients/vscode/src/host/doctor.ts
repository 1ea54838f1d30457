/** Runs `greenline doctor` and says what is missing, with the remedy. */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import { doctorMarkdown, readFindings } from "../core/doctor";
import { serverEnvironment } from "../core/settings";
import { readSettings } from "./config";
import { activeFolder } from "./folders";
import type { Pages } from "./pages";
import { KEY_SECRET, type Server } from "./server";

const LIMIT_MS = 60_000;

/** Examine the server's surroundings and show the findings. */
export async function doctor(server: Server, pages: Pages, secrets: vscode.SecretStorage): Promise<void> {
  const found = server.find();
  if (found.kind === "missing" || !vscode.workspace.isTrusted) {
    const reason = found.kind === "missing" ? found.reason : "Greenline runs nothing before you trust this workspace.";
    await pages.note("doctor", doctorMarkdown(server.state, "", [{ name: "server", ok: false, detail: reason, remedy: "Choose “Agent: install the server”." }]));
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
