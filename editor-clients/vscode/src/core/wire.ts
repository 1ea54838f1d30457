/** The `agent/*` messages as docs/protocol.md has them; names as on the wire. */
import type { Image } from "./image";

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export type HunkState = "pending" | "accepted" | "rejected" | "conflicted" | "superseded";

export interface Hunk {
  readonly id: string;
  readonly uri: string;
  readonly op: "edit" | "create" | "delete";
  /** Whole lines that it replaces; empty for a pure insertion. */
  readonly range: Range;
  readonly before: string;
  readonly after: string;
  readonly state: HunkState;
  readonly why: string;
  readonly comment?: string;
  readonly planEntry?: number;
  readonly needs?: readonly string[];
}

export interface TestResult {
  readonly id: string;
  readonly outcome: string;
  readonly durationS?: number;
  readonly message?: string;
}

export interface TestReport {
  readonly end: string;
  readonly tests: readonly TestResult[];
  readonly runner?: string;
  readonly durationS?: number;
  readonly detail?: string;
}

export interface Evidence {
  readonly verdict: string;
  readonly reason: string;
  readonly detail: string;
  readonly fixed: readonly string[];
  readonly lost: readonly string[];
  readonly missing?: readonly string[];
  readonly flaky?: readonly string[];
  readonly hunks: readonly { hunkId: string; coverage: string; tests?: readonly string[] }[];
  readonly touchesTests: boolean;
  readonly warnings: readonly string[];
  readonly engine?: string;
  readonly image?: string;
  readonly toolchain?: string;
  readonly command?: readonly string[];
  readonly durationS?: number;
  readonly currency?: string;
  /** Which tests ran, where that was a part of the suite. */
  readonly selection?: Selection | null;
  readonly base?: TestReport;
  readonly patched?: TestReport;
}

export interface Selection {
  readonly nSelected: number;
  readonly nTests: number;
}

export interface Proposal {
  readonly id: string;
  readonly runId: string;
  readonly verdict: string;
  readonly reason: string;
  readonly summary: string;
  readonly stopReason: string;
  readonly hunks: readonly Hunk[];
  readonly evidence: Evidence;
  readonly alternatives?: readonly string[];
}

export interface PlanEntry {
  readonly number: number;
  readonly intent: string;
  readonly files: readonly string[];
  readonly checks: readonly string[];
  readonly status: string;
}

export interface Plan {
  readonly version: number;
  readonly entries: readonly PlanEntry[];
  readonly risk: string;
  readonly engine: string;
  readonly score?: number;
  readonly remarks?: readonly string[];
}

export interface Question {
  readonly id: string;
  readonly text: string;
  readonly options: readonly string[];
  readonly kind: "question" | "permission";
}

export interface Run {
  readonly id: string;
  readonly request: string;
  readonly state: string;
  readonly created: number;
  readonly lastSeq: number;
  readonly plan?: Plan;
  readonly proposal?: Proposal;
  readonly note?: string;
  /** URIs of the folders that its request is about. */
  readonly roots?: readonly string[];
}

/** A run that is under way. */
export interface UnderWay {
  readonly runId: string;
  readonly request: string;
  readonly state: string;
  readonly roots: readonly string[];
}

export interface AgentEvent {
  readonly runId: string;
  readonly seq: number;
  readonly time: number;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Health {
  readonly available: boolean;
  readonly name: string;
  readonly detail: string;
  readonly problem: string;
  readonly remedy: string;
}

export interface Status {
  readonly agent: {
    readonly worker: string;
    readonly sandbox?: Health;
    readonly model?: Health;
    readonly spentUsd: number;
    readonly capUsd?: number;
  };
  readonly roots: readonly string[];
  readonly activeRuns: readonly string[];
  readonly pendingHunks: number;
  readonly version: string;
  readonly index: {
    readonly state: string;
    readonly role: string;
    readonly completeness: number;
    readonly nFiles: number;
    readonly nPending: number;
    readonly note: string;
  };
  readonly underWay: readonly UnderWay[];
}

export interface TaskContext {
  textDocument?: { uri: string };
  range?: Range;
  diagnostics?: string[];
  files?: string[];
  attachments?: Image[];
}

export interface PlanResult {
  readonly runId: string;
  readonly plan?: Plan;
  readonly questions: readonly Question[];
}

export interface ExecuteResult {
  readonly runId: string;
  readonly state: string;
  readonly note: string;
  readonly proposal?: Proposal;
}

export interface ReviewResult {
  readonly applied: readonly string[];
  readonly rejected: readonly string[];
  readonly conflicts: readonly { hunkId: string; uri: string; reason: string }[];
}

export interface UndoResult {
  readonly restored: readonly string[];
  readonly conflicts: readonly { uri: string; reason: string; line?: number }[];
}

export interface ExplainResult {
  readonly markdown: string;
  readonly hunkId?: string;
  readonly runId?: string;
}
