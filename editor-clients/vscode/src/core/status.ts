/** The status bar in words. Pure. */
import type { Status } from "./wire";

export type ServerState = "off" | "untrusted" | "missing" | "starting" | "running" | "stopped";

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly severity: "none" | "warning" | "error";
}

const WITHOUT: Readonly<Record<Exclude<ServerState, "running">, StatusText>> = {
  off: { text: "$(circle-slash) Greenline", tooltip: "Greenline is off: open a folder.", severity: "none" },
  untrusted: {
    text: "$(shield) Greenline",
    tooltip: "Greenline waits until you trust this workspace.",
    severity: "none",
  },
  missing: { text: "$(warning) Greenline", tooltip: "The server is not installed. Click to install it.", severity: "warning" },
  starting: { text: "$(sync~spin) Greenline", tooltip: "The server is starting.", severity: "none" },
  stopped: { text: "$(error) Greenline", tooltip: "The server has stopped. Click to start it again.", severity: "error" },
};

/** Return what the status bar says. */
export function statusText(server: ServerState, status: Status | undefined): StatusText {
  if (server !== "running") {
    return WITHOUT[server];
  }
  if (status === undefined) {
    return WITHOUT.starting;
  }
  const parts = [`Greenline ${activity(status)}`];
  if (status.agent.spentUsd > 0 || status.agent.model?.available) {
    parts.push(spending(status));
  }
  const index = status.index;
  if (index.state !== "off" && index.completeness < 1) {
    parts.push(`index ${String(Math.floor(index.completeness * 100))}%`);
  }
  const sick = status.agent.sandbox?.available === false;
  if (sick) {
    parts.push("no sandbox");
  }
  const icon = sick || status.agent.worker === "dead" ? "warning" : status.activeRuns.length > 0 ? "sync~spin" : "beaker";
  return {
    text: `$(${icon}) ${parts.join(" · ")}`,
    tooltip: statusLines(status).join("\n"),
    severity: sick || status.agent.worker === "dead" ? "warning" : "none",
  };
}

/** Return the whole status, a line for each part. */
export function statusLines(status: Status): string[] {
  const { sandbox, model } = status.agent;
  return [
    `Greenline ${status.version}: ${activity(status)}`,
    `Agent: ${status.agent.worker}`,
    `Sandbox: ${health(sandbox, "nobody has looked yet")}`,
    `Model: ${health(model, "none; the repair engine serves failing tests")}`,
    `Spent: ${spending(status)}`,
    `Index: ${indexWords(status)}`,
  ];
}

function activity(status: Status): string {
  const runs = status.activeRuns.length;
  if (runs > 0) {
    return runs === 1 ? "working" : `working on ${String(runs)}`;
  }
  return status.pendingHunks > 0 ? `${String(status.pendingHunks)} to review` : "ready";
}

function spending(status: Status): string {
  const spent = `$${status.agent.spentUsd.toFixed(2)}`;
  return status.agent.capUsd === undefined ? spent : `${spent} of $${status.agent.capUsd.toFixed(2)} a run`;
}

function health(part: Status["agent"]["sandbox"], unknown: string): string {
  if (part === undefined) {
    return unknown;
  }
  return part.available ? part.name : [part.problem, part.remedy].filter(Boolean).join(" ") || unknown;
}

function indexWords(status: Status): string {
  const { state, completeness, nFiles, note } = status.index;
  if (state === "off") {
    return note || "off";
  }
  const share = `${String(Math.floor(completeness * 100))}% of ${String(nFiles)} files`;
  return note ? `${share}; ${note}` : share;
}
