/** Lines of a text as LSP counts them, each with its own end. */

const LINE = /[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g;

/** Return the lines with their ends; a last line without an end is one too, an empty one is not. */
export function splitLines(text: string): string[] {
  return text.match(LINE) ?? [];
}

/** Make the line ends of a text alike, so that two texts can be compared. */
export function withUnixEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Return the line end that a text uses, `\n` where it has none. */
export function lineEndOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? "\n";
}

/** Return the text on one line, cut to a length. */
export function oneLine(text: string, limit: number): string {
  const line = text.split(/\s+/).filter(Boolean).join(" ");
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}
