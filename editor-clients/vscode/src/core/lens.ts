/** What stands above a hunk: the decisions and the verdict. Pure. */
import { unmet, type Waiting } from "./book";
import { evidenceIcon, verdictWords } from "./verdict";

export interface Lens {
  readonly title: string;
  readonly tooltip: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

/** Return the lenses of one hunk, in the order in which they are shown. */
export function lensesOf(waiting: Waiting): Lens[] {
  const { proposal, hunk } = waiting;
  const reference = { proposalId: proposal.id, hunkId: hunk.id };
  const why: Lens = {
    title: "? Why",
    tooltip: hunk.why || proposal.summary || "Explain this change",
    command: "greenline.why",
    arguments: [{ ...reference, uri: hunk.uri }],
  };
  const reject: Lens = {
    title: "↩ Reject",
    tooltip: "Keep the text as it is",
    command: "greenline.rejectHunk",
    arguments: [reference],
  };
  const verdict: Lens = {
    title: `$(${evidenceIcon(proposal.evidence)})\u00a0${verdictWords(proposal.evidence)}`,
    tooltip: proposal.evidence.detail || "Show the evidence",
    command: "greenline.showEvidence",
    arguments: [{ proposalId: proposal.id, runId: proposal.runId }],
  };
  if (hunk.state === "conflicted") {
    const conflict: Lens = { ...why, title: "$(warning)\u00a0conflicted: its text is gone" };
    return [conflict, reject, why, verdict];
  }
  const needed = unmet(waiting).length;
  const accept: Lens = {
    title: needed > 0 ? `✓ Accept (needs ${String(needed)} more)` : "✓ Accept",
    tooltip: "Put this change into the buffer; one undo step",
    command: "greenline.acceptHunk",
    arguments: [reference],
  };
  return [accept, reject, why, verdict];
}
