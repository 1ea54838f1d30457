/** Small complete values for the tests. */
import type { Evidence, Hunk, Plan, Proposal, Run, Status } from "../../src/core/wire.ts";

export function hunk(more: Partial<Hunk> & { line?: number; end?: number } = {}): Hunk {
  const { line = 0, end = line + 1, ...rest } = more;
  return {
    id: "h-1",
    uri: "file:///w/a.py",
    op: "edit",
    range: { start: { line, character: 0 }, end: { line: end, character: 0 } },
    before: "old\n",
    after: "new\n",
    state: "pending",
    why: "Because.",
    ...rest,
  };
}

export function evidence(more: Partial<Evidence> = {}): Evidence {
  return {
    verdict: "verified",
    reason: "",
    detail: "1 test was fixed.",
    fixed: ["t.py::t"],
    lost: [],
    hunks: [{ hunkId: "h-1", coverage: "covered", tests: ["t.py::t"] }],
    touchesTests: false,
    warnings: [],
    currency: "current",
    ...more,
  };
}

export function proposal(more: Partial<Proposal> = {}): Proposal {
  return {
    id: "p-1",
    runId: "run-1",
    verdict: more.evidence?.verdict ?? "verified",
    reason: "",
    summary: "Fix the sum",
    stopReason: "done",
    hunks: [hunk()],
    evidence: evidence(),
    ...more,
  };
}

export function plan(more: Partial<Plan> = {}): Plan {
  return {
    version: 2,
    entries: [
      { number: 1, intent: "Fix the sum", files: ["calc.py"], checks: ["t.py::t"], status: "pending" },
      { number: 2, intent: "Say so", files: [], checks: [], status: "pending" },
    ],
    risk: "Small.",
    engine: "model",
    score: 7,
    remarks: ["No test for zero."],
    ...more,
  };
}

export function run(more: Partial<Run> = {}): Run {
  return { id: "run-1", request: "make it work", state: "proposed", created: 1, lastSeq: 4, plan: plan(), proposal: proposal(), ...more };
}

export function status(more: Partial<Status> = {}): Status {
  return {
    agent: {
      worker: "ready",
      spentUsd: 0,
      sandbox: { available: true, name: "docker 28", detail: "", problem: "", remedy: "" },
      model: { available: false, name: "", detail: "", problem: "No model.", remedy: "Name one." },
    },
    roots: ["file:///w"],
    activeRuns: [],
    pendingHunks: 0,
    version: "0.1.0",
    index: { state: "ready", role: "writer", completeness: 1, nFiles: 7, nPending: 0, note: "" },
    underWay: [],
    ...more,
  };
}
