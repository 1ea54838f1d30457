/** The proposed text of a file, and where each hunk lies in the buffer and in that text. Pure. */
import { lineEndOf, splitLines, withUnixEnds } from "./text";
import type { Hunk } from "./wire";

export interface PlacedHunk {
  readonly hunk: Hunk;
  /** Lines of the buffer that would go: `[start, end)`. */
  readonly start: number;
  readonly end: number;
  /** Lines of the proposed text that would come: `[proposedStart, proposedEnd)`. */
  readonly proposedStart: number;
  readonly proposedEnd: number;
}

export interface ProposedText {
  readonly text: string;
  readonly placed: readonly PlacedHunk[];
  /** Hunks that the buffer does not hold as they say, or that overlap an earlier one. */
  readonly skipped: readonly Hunk[];
}

/** Return the buffer with its pending hunks put in; one that does not fit the buffer as it is stays out. */
export function proposedText(buffer: string, hunks: readonly Hunk[]): ProposedText {
  const lines = splitLines(buffer);
  const end = lineEndOf(buffer);
  const placed: PlacedHunk[] = [];
  const skipped: Hunk[] = [];
  const out: string[] = [];
  let at = 0;
  for (const hunk of byPlace(hunks)) {
    const [first, last] = [hunk.range.start.line, hunk.range.end.line];
    const there = lines.slice(first, last).join("");
    if (first < at || first > lines.length || withUnixEnds(there) !== withUnixEnds(hunk.before)) {
      skipped.push(hunk);
      continue;
    }
    out.push(...lines.slice(at, first));
    const after = splitLines(withUnixEnds(hunk.after)).map((line) => line.replace(/\n$/, end));
    placed.push({
      hunk,
      start: first,
      end: last,
      proposedStart: out.length,
      proposedEnd: out.length + after.length,
    });
    out.push(...after);
    at = last;
  }
  out.push(...lines.slice(at));
  return { text: out.join(""), placed, skipped };
}

/** Return hunks from the top of a file to its bottom; those at one place in their own order. */
export function byPlace(hunks: readonly Hunk[]): Hunk[] {
  return [...hunks].sort((a, b) => a.range.start.line - b.range.start.line || a.range.end.line - b.range.end.line);
}

/** Return whether a hunk touches a line of the buffer; a pure insertion touches the line that it comes before. */
export function touches(hunk: Hunk, line: number): boolean {
  return hunk.range.start.line <= line && line <= Math.max(hunk.range.start.line, hunk.range.end.line - 1);
}

/** Return the hunk after (or before) a line, around the end of the list; undefined where there is none. */
export function neighbour<T extends { start: number }>(
  places: readonly T[],
  line: number,
  direction: "next" | "previous",
): T | undefined {
  if (direction === "next") {
    return places.find((place) => place.start > line) ?? places[0];
  }
  return [...places].reverse().find((place) => place.start < line) ?? places.at(-1);
}

/** Return what stands beside the first line of a hunk: the lines that would come, on one line. */
export function preview(hunk: Hunk): string {
  const added = splitLines(withUnixEnds(hunk.after)).map((line) => line.trim());
  const shown = added.filter((line) => line !== "");
  if (shown.length === 0) {
    return hunk.before === "" ? "" : "⟶ (removed)";
  }
  const text = shown.join(" ⏎ ");
  return `⟶ ${text.length <= 120 ? text : `${text.slice(0, 119)}…`}`;
}
