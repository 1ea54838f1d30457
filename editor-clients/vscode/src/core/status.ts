/** The status bar in words. Pure. */
import { hereWords } from "./here";
import { oneLine } from "./text";
import type { Status, UnderWay } from "./wire";

export type ServerState = "off" | "untrusted" | "missing" | "starting" | "running" | "stopped";

/** What of a workspace of several folders is concerned; names nothing where there is one. */
export interface Where {
  /** Return the names of the folders that hold one of these; none where that is all of them. */
  names(uris: readonly string[]): readonly string[];
  /** Files that have something to review. */
  readonly pending: readonly string[];
  /** How many hunks wait, as the review knows it before the server's next status. */
  readonly nPending?: number;
}

const HERE: Where = { names: () => [], pending: [] };

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
export function statusText(server: ServerState, status: Status | undefined, where = HERE): StatusText {
  if (server !== "running") {
    return WITHOUT[server];
  }
  if (status === undefined) {
    return WITHOUT.starting;
  }
  const parts = [`Greenline ${activity(status, where)}`];
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
  const warns = sick || status.agent.worker === "dead";
  return {
    text: `$(${warns ? "warning" : activityIcon(status)}) ${parts.join(" · ")}`,
    tooltip: statusLines(status, where).join("\n"),
    severity: warns ? "warning" : "none",
  };
}

/** Return what is said of a request that needs a server where there is none. */
export function notRunning(server: Exclude<ServerState, "running">): string {
  switch (server) {
    case "off":
      return "Greenline is off: open a folder first.";
    case "untrusted":
      return "Greenline starts no program before you trust this workspace.";
    case "missing":
      return "The Greenline server is not installed. Choose “Agent: install the server”.";
    default:
      return "The Greenline server is not running. Choose “Agent: restart the server”, or “Agent: doctor” to see why.";
  }
}

/** Return the whole status, a line for each part. */
export function statusLines(status: Status, where = HERE): string[] {
  const { sandbox, model } = status.agent;
  const folders = status.roots.length > 1 ? [`Folders: ${status.roots.flatMap((root) => where.names([root])).join(", ")}`] : [];
  return [
    `Greenline ${status.version}: ${activity(status, where)}`,
    ...status.underWay.map((run) => `Run: ${oneLine(run.request, 80)} (${[runWords(run), ...where.names(run.roots)].join(", ")})`),
    `Agent: ${status.agent.worker}`,
    `Sandbox: ${health(sandbox, "nobody has looked yet")}`,
    `Model: ${health(model, "none; the repair engine serves failing tests")}`,
    `Spent: ${spending(status)}`,
    `Index: ${indexWords(status)}`,
    ...folders,
  ];
}

function activity(status: Status, where: Where): string {
  const runs = status.underWay;
  if (runs.length > 0) {
    const states = new Set(runs.map(runWords));
    const [state = ""] = states.size === 1 ? states : ["working"];
    return inFolders(runs.length === 1 ? state : `${state} on ${String(runs.length)}`, where.names(runs.flatMap(({ roots }) => roots)));
  }
  const nPending = where.nPending ?? status.pendingHunks;
  return nPending > 0 ? inFolders(`${String(nPending)} to review`, where.names(where.pending)) : "ready";
}

function activityIcon(status: Status): string {
  const states = new Set(status.underWay.map(({ state }) => state));
  if (states.size === 1 && states.has("paused")) {
    return "debug-pause";
  }
  return states.size > 0 ? "sync~spin" : "beaker";
}

function runWords(run: UnderWay): string {
  const words: Readonly<Record<string, string>> = { paused: "paused", needsInput: "waits for an answer" };
  return words[run.state] ?? "working";
}

function inFolders(words: string, names: readonly string[]): string {
  return names.length === 0 ? words : `${words} in ${names.join(", ")}`;
}

function spending(status: Status): string {
  const spent = `$${status.agent.spentUsd.toFixed(2)}`;
  return status.agent.capUsd === undefined ? spent : `${spent} of $${status.agent.capUsd.toFixed(2)} a run`;
}

function health(part: Status["agent"]["sandbox"], unknown: string): string {
  if (part === undefined) {
    return unknown;
  }
  return part.available ? part.name : hereWords([part.problem, part.remedy].filter(Boolean).join(" ")) || unknown;
}

function indexWords(status: Status): string {
  const { state, completeness, nFiles, note } = status.index;
  if (state === "off") {
    return note || "off";
  }
  const share = `${String(Math.floor(completeness * 100))}% of ${String(nFiles)} files`;
  return note ? `${share}; ${note}` : share;
}
