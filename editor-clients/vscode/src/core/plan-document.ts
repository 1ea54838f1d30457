/** A plan as a Markdown document that people edit, and back. Pure.
 *
 * An unticked entry is left out, the order is the document's, and whatever is not an entry is a remark that
 * the plan does not keep.
 */
import { oneLine } from "./text";
import type { Plan, PlanEntry } from "./wire";

const ENTRY = /^[-*] \[(?<tick>[ xX])\]\s+(?:\d+[.)]\s+)?(?<intent>.*\S)\s*$/;
const BAD_ENTRY = /^[-*] \[/;
const DETAIL = /^\s+[-*]\s+(?<kind>file|check):\s*(?<value>.*\S)\s*$/;
const BAD_DETAIL = /^\s+[-*]\s/;
const RISK = /^Risk:\s*(?<risk>.*)$/;

export interface PlanProblem {
  /** 0-based. */
  readonly line: number;
  readonly message: string;
}

export type PlanReading = { readonly plan: Plan } | { readonly problems: readonly PlanProblem[] };

/** Return a plan as Markdown with check boxes. */
export function renderPlan(request: string, runId: string, plan: Plan): string {
  const by = plan.engine === "repair" ? "the repair engine" : "the model";
  const score = plan.score === undefined ? "not judged" : `${String(plan.score)} of 10`;
  const lines = [
    `# Plan: ${oneLine(request, 200)}`,
    "",
    `Version ${String(plan.version)}, by ${by}. The critic's score: ${score}. Run ${runId}.`,
    "",
    `Risk: ${oneLine(plan.risk, 2000) || "none named"}`,
    "",
  ];
  for (const remark of plan.remarks ?? []) {
    lines.push(`> The critic: ${oneLine(remark, 2000)}`, "");
  }
  for (const entry of plan.entries) {
    lines.push(...renderEntry(entry));
  }
  lines.push(
    "",
    "Untick an entry to leave it out; edit the lines, add or move entries. Then choose Approve, Revise or Cancel above.",
    "",
  );
  return lines.join("\n");
}

function renderEntry(entry: PlanEntry): string[] {
  return [
    `- [x] ${String(entry.number)}. ${oneLine(entry.intent, 4000)}`,
    ...entry.files.map((file) => `  - file: ${file}`),
    ...entry.checks.map((check) => `  - check: ${check}`),
  ];
}

/** Read a plan back; the version, engine and score stay those of `known`, which it changes. */
export function readPlan(text: string, known: Plan): PlanReading {
  const problems: PlanProblem[] = [];
  const entries: { intent: string; files: string[]; checks: string[] }[] = [];
  let current: { intent: string; files: string[]; checks: string[] } | undefined;
  let risk = known.risk;
  text.split(/\r\n|\r|\n/).forEach((line, number) => {
    const entry = ENTRY.exec(line)?.groups;
    const detail = DETAIL.exec(line)?.groups;
    const risky = RISK.exec(line)?.groups;
    if (entry !== undefined) {
      current = { intent: entry["intent"] ?? "", files: [], checks: [] };
      if (entry["tick"] !== " ") {
        entries.push(current);
      }
    } else if (BAD_ENTRY.test(line)) {
      problems.push({ line: number, message: "An entry reads `- [x] What is to be done`." });
      current = { intent: "", files: [], checks: [] };
    } else if (detail !== undefined && current !== undefined) {
      (detail["kind"] === "file" ? current.files : current.checks).push(unquoted(detail["value"] ?? ""));
    } else if (BAD_DETAIL.test(line)) {
      problems.push({ line: number, message: "Below an entry stand `- file: PATH` and `- check: TEST` alone." });
    } else if (risky !== undefined) {
      risk = (risky["risk"] ?? "").trim() === "none named" ? "" : (risky["risk"] ?? "").trim();
    }
  });
  if (problems.length === 0 && entries.length === 0) {
    problems.push({ line: 0, message: "No entry is ticked; tick one, or cancel the plan." });
  }
  if (problems.length > 0) {
    return { problems };
  }
  return { plan: { ...known, risk, entries: entries.map((entry, n) => ({ number: n + 1, ...entry, status: "pending" })) } };
}

/** Return whether a plan says the same as another, whatever their versions. */
export function saysTheSame(one: Plan, other: Plan): boolean {
  const essence = (plan: Plan): string =>
    JSON.stringify([
      oneLine(plan.risk, 2000),
      plan.entries.map((entry) => [oneLine(entry.intent, 4000), entry.files, entry.checks]),
    ]);
  return essence(one) === essence(other);
}

function unquoted(value: string): string {
  return /^`.*`$/.test(value) ? value.slice(1, -1) : value;
}
