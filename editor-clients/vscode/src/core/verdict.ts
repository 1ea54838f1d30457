/** A verdict in words for people; the server's codes never reach them bare. */
import { hereWords } from "./here";
import type { Evidence, Proposal } from "./wire";

const WORDS: Readonly<Record<string, string>> = {
  verified: "verified",
  couldNotRun: "untested: the tests could not run",
  notRun: "untested: no test was run",
  flaky: "flaky tests",
  regressed: "breaks a test",
  stillFailing: "still failing",
  testsOnly: "changes tests only",
  notCovered: "not covered by a test",
};

/** Return a verdict in a few words. */
export function verdictName(verdict: string): string {
  return WORDS[verdict] ?? verdict;
}

/** Return the verdict in a few words, with what weakens it. */
export function verdictWords(evidence: Evidence): string {
  const parts = [verdictName(evidence.verdict)];
  if (evidence.touchesTests && evidence.verdict !== "testsOnly") {
    parts.push("touches tests");
  }
  if (evidence.selection) {
    parts.push(`${String(evidence.selection.nSelected)} of ${String(evidence.selection.nTests)} tests ran`);
  }
  if (evidence.currency === "partial") {
    parts.push("partial: measured on another choice of its hunks or of their lines");
  }
  return parts.join(" · ");
}

/** Return the name of a product icon for a verdict, as `$(name)` shows it. */
export function verdictIcon(verdict: string): string {
  if (verdict === "verified") {
    return "verified";
  }
  if (verdict === "regressed" || verdict === "stillFailing") {
    return "error";
  }
  return verdict === "couldNotRun" || verdict === "notRun" ? "circle-slash" : "warning";
}

/** Return the icon for evidence: what only a part of the tests verified is not shown as verified. */
export function evidenceIcon(evidence: Evidence): string {
  return evidence.verdict === "verified" && evidence.selection ? "warning" : verdictIcon(evidence.verdict);
}

/** Return one sentence about what a run came to. */
export function outcomeSentence(proposal: Proposal | undefined, state: string, note: string): string {
  if (proposal === undefined) {
    return `No change is proposed: ${hereWords(note || state)}.`.replace(/\.\.$/, ".");
  }
  const n = proposal.hunks.filter((hunk) => hunk.state === "pending").length;
  const changes = n === 1 ? "1 change" : `${String(n)} changes`;
  const detail = proposal.evidence.detail ? ` ${proposal.evidence.detail}` : "";
  return `${changes} proposed: ${verdictWords(proposal.evidence)}.${detail}`;
}

/** Return one sentence about what was measured anew. */
export function measuredSentence(evidence: Evidence): string {
  return `Measured again: ${verdictWords(evidence)}. ${evidence.detail}`.trim();
}
