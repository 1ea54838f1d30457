/** Offers to install the server; shows the exact command, and runs it in a terminal that the user sees. */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import { installWays, type InstallWay } from "../core/locate";
import { isProgram } from "./program";
import type { Server } from "./server";

export class Installer {
  constructor(
    private readonly server: Server,
    private readonly extensionFolder: string,
  ) {}

  /** Say once that the server is missing, and offer the ways to get it; one that runs is left to its work. */
  async offer(): Promise<void> {
    const found = this.server.find();
    if (found.kind === "found") {
      if (this.server.state === "missing" || this.server.state === "stopped") {
        await this.server.restart();
      }
      void vscode.window.showInformationMessage(`The Greenline server is installed: ${found.command}`);
      return;
    }
    const chosen = await vscode.window.showWarningMessage(found.reason, "Install…", "Choose its path");
    if (chosen === "Install…") {
      await this.choose();
    } else if (chosen === "Choose its path") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "greenline.server.path");
    }
  }

  private async choose(): Promise<void> {
    const ways = installWays(this.source(), have(), os.homedir());
    if (ways.length === 0) {
      void vscode.window.showErrorMessage("Neither uv, pipx nor Python 3 is on PATH; install one of them first.");
      return;
    }
    const items = ways.map((way) => ({ label: way.label, detail: way.command, way }));
    const title = "Install the Greenline server: the command that will run";
    const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
    if (chosen !== undefined) {
      await this.confirm(chosen.way);
    }
  }

  private async confirm(way: InstallWay): Promise<void> {
    const options = { modal: true, detail: way.command };
    const chosen = await vscode.window.showInformationMessage("Run this command in a terminal?", options, "Run", "Copy");
    if (chosen === "Copy") {
      await vscode.env.clipboard.writeText(way.command);
    } else if (chosen === "Run") {
      const terminal = vscode.window.createTerminal("Greenline: install");
      terminal.show();
      terminal.sendText(way.command);
      const done = await vscode.window.showInformationMessage("Start the server once the command has finished.", "Start it");
      if (done !== undefined) {
        await this.server.restart();
      }
    }
  }

  /** Return what to install: the wheel that the extension brings along, so that no other package can stand in. */
  private source(): string {
    const folder = path.join(this.extensionFolder, "server");
    const wheel = fs.existsSync(folder) ? fs.readdirSync(folder).find((name) => name.endsWith(".whl")) : undefined;
    return wheel === undefined ? "greenline" : path.join(folder, wheel);
  }
}

function have(): { uv: boolean; pipx: boolean; python: string | undefined } {
  return { uv: program("uv") !== undefined, pipx: program("pipx") !== undefined, python: program("python3") };
}

function program(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .map((folder) => path.join(folder, name))
    .find(isProgram);
}
