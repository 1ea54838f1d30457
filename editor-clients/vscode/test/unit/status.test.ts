import { expect, test } from "vitest";
import { notRunning, statusLines, statusText, type Where } from "../../src/core/status.ts";
import { runNode, withOlder, type TreeNode } from "../../src/core/tree.ts";
import type { AgentEvent, Run, UnderWay } from "../../src/core/wire.ts";
import { evidence, plan, proposal, run, status } from "./sample.ts";

test("a server that is ready, works, or has something to review", () => {
  expect(statusText("running", status()).text).toBe("$(beaker) Greenline ready");
  expect(statusText("running", status({ pendingHunks: 3 })).text).toBe("$(beaker) Greenline 3 to review");
  expect(statusText("running", status({ underWay: [underWay("executing")], pendingHunks: 3 })).text).toBe("$(sync~spin) Greenline working");
});

test("what the review knows of counts before the server's next status", () => {
  const where = (nPending: number): Where => ({ names: () => [], pending: [], nPending });

  expect(statusText("running", status({ pendingHunks: 5 }), where(4)).text).toBe("$(beaker) Greenline 4 to review");
  expect(statusText("running", status({ pendingHunks: 5 }), where(0)).text).toBe("$(beaker) Greenline ready");
});

function underWay(state: string, root = "file:///w"): UnderWay {
  return { runId: "r", request: "make it work", state, roots: [root] };
}

test.each([
  [["paused"], "$(debug-pause) Greenline paused"],
  [["needsInput"], "$(sync~spin) Greenline waits for an answer"],
  [["planning", "verifying"], "$(sync~spin) Greenline working on 2"],
  [["paused", "paused"], "$(debug-pause) Greenline paused on 2"],
  [["paused", "executing"], "$(sync~spin) Greenline working on 2"],
])("runs that are %j are shown as what they are", (states, text) => {
  expect(statusText("running", status({ underWay: states.map((state) => underWay(state)) })).text).toBe(text);
});

test("of several folders those are named that something is about", () => {
  const name = (uri: string): string => uri.split("/")[3] ?? "";
  const where = { names: (uris: readonly string[]) => [...new Set(uris.map(name))], pending: ["file:///b/x.py"] };
  const roots = ["file:///a", "file:///b"];

  expect(statusText("running", status({ roots, pendingHunks: 1 }), where).text).toBe("$(beaker) Greenline 1 to review in b");
  const busy = status({ roots, underWay: [underWay("paused", "file:///a")] });
  expect(statusText("running", busy, where).text).toBe("$(debug-pause) Greenline paused in a");
  expect(statusLines(busy, where)).toContain("Run: make it work (paused, a)");
  expect(statusLines(busy, where)).toContain("Folders: a, b");
  expect(runNode(run(), [], ["b"]).description).toBe("b · proposed");
});

test.each(["off", "untrusted", "missing", "stopped", "starting"] as const)("a request while the server is %s is answered with what to do", (state) => {
  expect(notRunning(state)).toMatch(/[Oo]pen a folder|[Tt]rust|install|restart/);
});

test("spend against the cap, and an index that is not complete", () => {
  const busy = status({
    agent: { ...status().agent, spentUsd: 0.25, capUsd: 2 },
    index: { ...status().index, state: "scanning", completeness: 0.509 },
  });

  expect(statusText("running", busy).text).toBe("$(beaker) Greenline ready · $0.25 of $2.00 a run · index 50%");
});

test("without a sandbox the bar warns, and the tooltip says what to do", () => {
  const sandbox = { available: false, name: "", detail: "", problem: "No engine.", remedy: "Start one." };
  const shown = statusText("running", status({ agent: { ...status().agent, sandbox } }));

  expect(shown.severity).toBe("warning");
  expect(shown.text).toContain("no sandbox");
  expect(shown.tooltip).toContain("Sandbox: No engine. Start one.");
});

test.each(["off", "untrusted", "missing", "starting", "stopped"] as const)("a server that is %s says so", (state) => {
  expect(statusText(state, undefined).tooltip).not.toBe("");
});

test("every part of the status has a line", () => {
  expect(statusLines(status()).map((line) => line.split(":")[0])).toEqual(["Greenline 0.1.0", "Agent", "Sandbox", "Model", "Spent", "Index"]);
});

function event(seq: number, kind: string, data: Record<string, unknown>): AgentEvent {
  return { runId: "run-1", seq, time: seq, kind, data };
}

const EVENTS = [
  event(1, "thought", { text: "Looking." }),
  event(2, "toolCall", { callId: "c1", tool: "read_file", kind: "read", arguments: { path: "src/calc.py" } }),
  event(3, "toolResult", { callId: "c1", status: "completed", text: "..." }),
  event(4, "toolCall", { callId: "c2", tool: "edit_file", kind: "edit", arguments: { path: "calc.py" } }),
  event(5, "toolCall", { callId: "c3", tool: "run_command", kind: "execute", arguments: { command: "python -V" } }),
  event(6, "command", { text: "Running the tests." }),
  event(7, "testReport", { verdict: "notCovered", detail: "No test executes it." }),
  event(8, "testReport", { verdict: "verified", detail: "1 test was fixed." }),
];

function labels(nodes: readonly TreeNode[]): string[] {
  return nodes.map(({ label }) => label);
}

test("an edit of a file that one entry alone names stands below that entry, and everything else below the run", () => {
  const node = runNode(run(), EVENTS);

  expect(labels(node.children)).toEqual([
    "1. Fix the sum", "2. Say so", "read_file calc.py", "run_command python -V", "Running the tests.",
    "tests: not covered by a test", "Evidence: verified",
  ]);
  expect(node.children.map(({ children }) => labels(children))).toEqual([["edit_file calc.py"], [], [], [], [], [], []]);
  expect(node.children.map(({ open }) => open)).toEqual([true, false, false, false, false, false, false]);
  expect(node.children.slice(2, 4).map(({ description }) => description)).toEqual(["completed", "running"]);
  expect(node.children.at(-1)?.command).toEqual({ id: "greenline.showEvidence", arguments: [{ proposalId: "p-1", runId: "run-1" }] });
});

test("an edit of a file that two entries name is said to belong to neither", () => {
  const entries = plan().entries.map((entry) => ({ ...entry, files: ["calc.py"] }));
  const node = runNode(run({ plan: plan({ entries }) }), EVENTS);

  expect(node.children.slice(0, 2).flatMap(({ children }) => children)).toEqual([]);
  expect(labels(node.children)).toContain("edit_file calc.py");
});

test("what the tests came to is said once, by the evidence; another verdict is said by its report", () => {
  const verdicts = (more: Partial<Run>): string[] => labels(runNode(run(more), EVENTS).children).filter((label) => /tests: |Evidence/.test(label));

  expect(verdicts({})).toEqual(["tests: not covered by a test", "Evidence: verified"]);
  const flaky = proposal({ evidence: evidence({ verdict: "flaky" }) });
  expect(verdicts({ proposal: flaky })).toEqual(["tests: not covered by a test", "tests: verified", "Evidence: flaky tests"]);
});

test("a run without a plan holds its calls itself, and every node has an id of its own", () => {
  const { plan: _, proposal: __, ...bare } = run({ state: "planning" });
  const node = runNode(bare, EVENTS);

  expect(labels(node.children)).toEqual([
    "read_file calc.py", "edit_file calc.py", "run_command python -V", "Running the tests.", "tests: not covered by a test", "tests: verified",
  ]);
  expect(new Set(node.children.map(({ id }) => id)).size).toBe(6);
  expect(node.context).toBe("run.planning");
});

test("older runs stand behind the newest, each once and as it is now", () => {
  const failed = (created: number): Run => run({ id: `run-${String(created)}`, created, state: "failed" });
  const [a, b, c] = [failed(3), failed(2), failed(1)];
  const resumed = run({ id: "run-2", created: 2, state: "executing" });

  const shown = withOlder([a, resumed], [b, c]);

  expect(shown.map(({ id, state }) => `${id} ${state}`)).toEqual(["run-3 failed", "run-2 executing", "run-1 failed"]);
});
