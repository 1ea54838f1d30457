/** Runs as a tree: run → plan entries → tool calls → evidence. Pure. */
import { oneLine } from "./text";
import { evidenceIcon, verdictIcon, verdictWords } from "./verdict";
import type { AgentEvent, Run } from "./wire";

export interface TreeNode {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly icon: string;
  readonly children: readonly TreeNode[];
  /** Whether it is open from the start. */
  readonly open: boolean;
  /** What a click does, with the arguments. */
  readonly command?: { readonly id: string; readonly arguments: readonly unknown[] };
  /** For `when` clauses of menus. */
  readonly context: string;
}

const STATE_ICONS: Readonly<Record<string, string>> = {
  planning: "sync~spin",
  awaitingApproval: "checklist",
  needsInput: "question",
  executing: "sync~spin",
  verifying: "sync~spin",
  proposed: "git-pull-request",
  accepted: "check-all",
  partlyAccepted: "check",
  rejected: "discard",
  paused: "debug-pause",
  interrupted: "debug-disconnect",
  failed: "error",
  cancelled: "circle-slash",
};

const STATE_WORDS: Readonly<Record<string, string>> = {
  awaitingApproval: "plan waits for approval",
  needsInput: "waits for an answer",
  partlyAccepted: "partly accepted",
};

const ENTRY_ICONS: Readonly<Record<string, string>> = {
  pending: "circle-large-outline",
  inProgress: "sync",
  completed: "pass",
  failed: "error",
};

/** Return a run with all that is below it; `events` are those that are known of it, in order.
 *
 * `folders` are the names of those that it is about, where that says something.
 */
export function runNode(run: Run, events: readonly AgentEvent[], folders: readonly string[] = []): TreeNode {
  const steps = stepNodes(run, events);
  const children: TreeNode[] = [...entryNodes(run, steps)];
  if (run.proposal !== undefined) {
    children.push(evidenceNode(run));
  }
  return {
    id: run.id,
    label: oneLine(run.request, 80),
    // The folder first: a side bar is narrow, and the icon tells the state too.
    description: [folders.join(", "), stateWords(run.state)].filter(Boolean).join(" · "),
    tooltip: [run.request, stateWords(run.state), folders.join(", "), run.note ?? ""].filter(Boolean).join("\n"),
    icon: STATE_ICONS[run.state] ?? "circle-outline",
    children,
    open: false,
    context: `run.${run.state}`,
  };
}

/** Return what shows the runs before those that are shown. */
export function olderNode(): TreeNode {
  return {
    id: "older",
    label: "Show older runs…",
    description: "",
    tooltip: "Show the runs before these",
    icon: "history",
    children: [],
    open: false,
    command: { id: "greenline.showOlderRuns", arguments: [] },
    context: "older",
  };
}

/** Return runs with older ones behind them, each once as `runs` has it, the newest first. */
export function withOlder(runs: readonly Run[], older: readonly Run[]): readonly Run[] {
  const known = new Set(runs.map(({ id }) => id));
  const more = older.filter(({ id }) => !known.has(id));
  return [...runs, ...more].sort((one, other) => other.created - one.created);
}

/** Return a run's state in words. */
export function stateWords(state: string): string {
  return STATE_WORDS[state] ?? state;
}

function entryNodes(run: Run, steps: readonly TreeNode[]): TreeNode[] {
  const entries = run.plan?.entries ?? [];
  if (entries.length === 0) {
    return [...steps];
  }
  const current = entries.find((entry) => entry.status === "inProgress") ?? entries.at(-1);
  return entries.map((entry) => ({
    id: `${run.id}/entry/${String(entry.number)}`,
    label: `${String(entry.number)}. ${oneLine(entry.intent, 100)}`,
    description: entry.files.join(", "),
    tooltip: [entry.intent, ...entry.checks.map((check) => `must pass: ${check}`)].join("\n"),
    icon: ENTRY_ICONS[entry.status] ?? "circle-outline",
    // The journal does not say which entry a call serves; they stand below the one that is under way.
    children: entry === current ? steps : [],
    open: entry === current,
    context: "entry",
  }));
}

function stepNodes(run: Run, events: readonly AgentEvent[]): TreeNode[] {
  const results = new Map<string, AgentEvent>();
  for (const event of events) {
    if (event.kind === "toolResult") {
      results.set(text(event.data["callId"]), event);
    }
  }
  return events.flatMap((event) => {
    const node = stepOf(event, results.get(text(event.data["callId"])));
    return node === undefined ? [] : [{ ...node, id: `${run.id}/${String(event.seq)}` }];
  });
}

function stepOf(event: AgentEvent, result: AgentEvent | undefined): TreeNode | undefined {
  const leaf = { id: "", children: [], open: false, context: "step" };
  switch (event.kind) {
    case "toolCall": {
      const status = result === undefined ? "running" : text(result.data["status"]);
      return {
        ...leaf,
        label: text(event.data["tool"]),
        description: status,
        tooltip: [JSON.stringify(event.data["arguments"] ?? {}), oneLine(text(result?.data["text"]), 600)].join("\n"),
        icon: status === "completed" ? "tools" : status === "running" ? "sync~spin" : "warning",
      };
    }
    case "command":
      return { ...leaf, label: oneLine(text(event.data["text"]), 120), description: "", tooltip: text(event.data["text"]), icon: "beaker" };
    case "testReport":
      return {
        ...leaf,
        label: `tests: ${text(event.data["verdict"])}`,
        description: "",
        tooltip: text(event.data["detail"]),
        icon: verdictIcon(text(event.data["verdict"])),
      };
    case "error":
      return { ...leaf, label: text(event.data["message"]), description: "", tooltip: text(event.data["remedy"]), icon: "error" };
    default:
      return undefined;
  }
}

function evidenceNode(run: Run): TreeNode {
  const proposal = run.proposal;
  if (proposal === undefined) {
    throw new Error(`the run ${run.id} has no proposal`);
  }
  return {
    id: `${run.id}/evidence`,
    label: `Evidence: ${verdictWords(proposal.evidence)}`,
    description: "",
    tooltip: proposal.evidence.detail,
    icon: evidenceIcon(proposal.evidence),
    children: [],
    open: false,
    command: { id: "greenline.showEvidence", arguments: [{ proposalId: proposal.id, runId: run.id }] },
    context: "evidence",
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
