/** The status bar item: state, spend against the cap, index and engine. */
import * as vscode from "vscode";
import { statusText } from "../core/status";
import type { Status } from "../core/wire";
import { whereOf } from "./folders";
import type { Review } from "./review";
import type { Server } from "./server";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("greenline", vscode.StatusBarAlignment.Left, 20);
  private readonly listeners: vscode.Disposable[];
  private status: Status | undefined;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
  ) {
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
      review.onBook(() => {
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
    const { text, tooltip, severity } = statusText(state, this.status, whereOf(this.review.book));
    this.item.text = text;
    this.item.tooltip = withSteering(tooltip, state === "running" ? this.status : undefined);
    this.item.accessibilityInformation = { label: tooltip };
    this.item.command = COMMANDS[state] ?? "greenline.status";
    this.item.backgroundColor =
      severity === "none" ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }
}

/** Return the tooltip, with links that steer the runs under way where there are some. */
function withSteering(tooltip: string, status: Status | undefined): string | vscode.MarkdownString {
  const states = status?.underWay.map(({ state }) => state) ?? [];
  const links = [
    ...(states.some((state) => state !== "paused") ? ["[Pause](command:greenline.pause)"] : []),
    ...(states.includes("paused") ? ["[Resume](command:greenline.resume)"] : []),
    "[Cancel](command:greenline.cancel)",
  ];
  if (states.length === 0) {
    return tooltip;
  }
  const text = new vscode.MarkdownString().appendText(tooltip).appendMarkdown(`\n\n${links.join(" · ")}`);
  text.isTrusted = { enabledCommands: ["greenline.pause", "greenline.resume", "greenline.cancel"] };
  return text;
}

const COMMANDS: Readonly<Record<string, string>> = {
  missing: "greenline.install",
  stopped: "greenline.restart",
  untrusted: "workbench.trust.manage",
};
