/** Runs as a tree: run → plan entries → their edits, other steps, evidence. Pure. */
import { hereWords } from "./here";
import { oneLine } from "./text";
import { evidenceIcon, verdictIcon, verdictName, verdictWords } from "./verdict";
import type { AgentEvent, PlanEntry, Run } from "./wire";

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

/** Kinds of calls that change a file. */
const CHANGING = new Set(["edit", "delete", "move"]);

/** Which argument of a call says what it is about. */
const ABOUT = ["path", "pattern", "query", "name", "command", "question"];

/** Return a run with all that is below it; `events` are those that are known of it, in order.
 *
 * `folders` are the names of those that it is about, where that says something.
 */
export function runNode(run: Run, events: readonly AgentEvent[], folders: readonly string[] = []): TreeNode {
  const steps = stepNodes(run, events);
  const entries = run.plan?.entries ?? [];
  const children: TreeNode[] = [
    ...entries.map((entry) => entryNode(run, entry, steps.filter(({ of }) => of === entry.number))),
    ...steps.filter(({ of }) => of === undefined).map(({ node }) => node),
  ];
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

/** A step, and the number of the plan's entry that it belongs to, where that is known. */
interface Step {
  readonly node: TreeNode;
  readonly of: number | undefined;
}

function entryNode(run: Run, entry: PlanEntry, steps: readonly Step[]): TreeNode {
  return {
    id: `${run.id}/entry/${String(entry.number)}`,
    label: `${String(entry.number)}. ${oneLine(entry.intent, 100)}`,
    description: entry.files.join(", "),
    tooltip: [entry.intent, ...entry.checks.map((check) => `must pass: ${check}`)].join("\n"),
    icon: ENTRY_ICONS[entry.status] ?? "circle-outline",
    children: steps.map(({ node }) => node),
    open: steps.length > 0,
    context: "entry",
  };
}

function stepNodes(run: Run, events: readonly AgentEvent[]): Step[] {
  const results = new Map<string, AgentEvent>();
  for (const event of events) {
    if (event.kind === "toolResult") {
      results.set(text(event.data["callId"]), event);
    }
  }
  const last = events.filter(({ kind }) => kind === "testReport").at(-1);
  return events.flatMap((event) => {
    // The evidence below says what the last report came to.
    if (event === last && event.data["verdict"] === run.proposal?.evidence.verdict) {
      return [];
    }
    const node = stepOf(event, results.get(text(event.data["callId"])));
    return node === undefined ? [] : [{ node: { ...node, id: `${run.id}/${String(event.seq)}` }, of: entryOf(run, event) }];
  });
}

/** Return the number of the entry that alone names the file of an edit; no event says what else a call serves. */
function entryOf(run: Run, event: AgentEvent): number | undefined {
  const path = argumentsOf(event)["path"];
  if (event.kind !== "toolCall" || !CHANGING.has(text(event.data["kind"])) || typeof path !== "string") {
    return undefined;
  }
  const naming = (run.plan?.entries ?? []).filter(({ files }) => files.includes(path));
  return naming.length === 1 ? naming[0]?.number : undefined;
}

function stepOf(event: AgentEvent, result: AgentEvent | undefined): TreeNode | undefined {
  const leaf = { id: "", children: [], open: false, context: "step" };
  switch (event.kind) {
    case "toolCall": {
      const status = result === undefined ? "running" : text(result.data["status"]);
      return {
        ...leaf,
        label: [text(event.data["tool"]), aboutOf(event)].filter(Boolean).join(" "),
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
        label: `tests: ${verdictName(text(event.data["verdict"]))}`,
        description: "",
        tooltip: text(event.data["detail"]),
        icon: verdictIcon(text(event.data["verdict"])),
      };
    case "error":
      return { ...leaf, label: text(event.data["message"]), description: "", tooltip: hereWords(text(event.data["remedy"])), icon: "error" };
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

/** Return what a call is about: the name of its file, or else what it looks for, runs or asks. */
function aboutOf(event: AgentEvent): string {
  const given = argumentsOf(event);
  const name = ABOUT.find((each) => text(given[each]) !== "");
  const about = text(given[name ?? ""]);
  return oneLine(name === "path" ? (about.split("/").filter(Boolean).at(-1) ?? about) : about, 60);
}

function argumentsOf(event: AgentEvent): Readonly<Record<string, unknown>> {
  const given = event.data["arguments"];
  return typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
