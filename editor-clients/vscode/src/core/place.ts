/** Which documents the server can be asked about, and the context of a request. Pure. */
import type { Image } from "./image";
import type { Range, TaskContext } from "./wire";

/** Return whether the server reads a document of this URI: a file of the machine that the extension runs on.
 *
 * With SSH, WSL and containers the extension runs on the other side, where the workspace's URIs are `file:`.
 */
export function isServed(uri: { scheme: string; authority: string }): boolean {
  return uri.scheme === "file" && (uri.authority === "" || uri.authority === "localhost");
}

export interface Pointed {
  readonly uri: string;
  readonly selection: Range;
  /** Messages of the diagnostics that touch the selection. */
  readonly diagnostics: readonly string[];
}

export type Attachment = "selection" | "file" | "diagnostics";

/** Return what the request is about, as the server takes it. */
export function contextOf(
  pointed: Pointed | undefined,
  attached: readonly Attachment[],
  images: readonly Image[] = [],
): TaskContext | undefined {
  const context: TaskContext = {};
  if (pointed !== undefined && attached.length > 0) {
    context.textDocument = { uri: pointed.uri };
    if (attached.includes("selection")) {
      context.range = pointed.selection;
    }
    if (attached.includes("diagnostics") && pointed.diagnostics.length > 0) {
      context.diagnostics = [...pointed.diagnostics];
    }
  }
  if (images.length > 0) {
    context.attachments = [...images];
  }
  return Object.keys(context).length > 0 ? context : undefined;
}

/** Return a prompt with what is attached to the request; `name` is how the user knows the file. */
export function promptWords(
  prompt: string,
  name: string,
  pointed: Pointed | undefined,
  attached: readonly Attachment[],
  images: readonly Image[],
): string {
  const parts: string[] = [];
  if (pointed !== undefined && attached.length > 0) {
    const place = attached.includes("selection") ? selectionWords(name, pointed.selection) : name;
    const problems = attached.includes("diagnostics") ? `, ${String(pointed.diagnostics.length)} problem(s)` : "";
    parts.push(`about ${place}${problems}`);
  }
  if (images.length > 0) {
    parts.push(`with ${images.map((image) => image.name).join(", ")}`);
  }
  return parts.length > 0 ? `${prompt} (${parts.join("; ")})` : prompt;
}

/** Return a prompt that says what cannot go along; `unsaved` is the name of a document that was never saved. */
export function promptWithout(prompt: string, unsaved: string | undefined): string {
  return unsaved === undefined ? prompt : `${prompt} (without ${unsaved}, which was never saved)`;
}

/** Return whether a range holds at least one character. */
export function isSomething(range: Range): boolean {
  return range.start.line !== range.end.line || range.start.character !== range.end.character;
}

/** Return a selection in words, lines counted from 1. */
export function selectionWords(name: string, range: Range): string {
  const last = range.end.character === 0 && range.end.line > range.start.line ? range.end.line : range.end.line + 1;
  const first = range.start.line + 1;
  return last <= first ? `${name}:${String(first)}` : `${name}:${String(first)}–${String(last)}`;
}
