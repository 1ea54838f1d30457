/** The status bar item: state, spend against the cap, index and engine. */
import * as vscode from "vscode";
import { statusText } from "../core/status";
import type { Status } from "../core/wire";
import type { Server } from "./server";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("greenline", vscode.StatusBarAlignment.Left, 20);
  private readonly listeners: vscode.Disposable[];
  private status: Status | undefined;

  constructor(private readonly server: Server) {
    this.item.name = "Greenline";
    this.listeners = [
      server.onState((state) => {
        if (state !== "running") {
          this.status = undefined;
        }
        this.draw();
      }),
      server.onStatus((status) => {
        this.status = status;
        this.draw();
      }),
    ];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
  }

  private draw(): void {
    const state = this.server.state;
    const { text, tooltip, severity } = statusText(state, this.status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: tooltip };
    this.item.command = COMMANDS[state] ?? "greenline.status";
    this.item.backgroundColor =
      severity === "none" ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }
}

const COMMANDS: Readonly<Record<string, string>> = {
  missing: "greenline.install",
  stopped: "greenline.restart",
  untrusted: "workbench.trust.manage",
};
