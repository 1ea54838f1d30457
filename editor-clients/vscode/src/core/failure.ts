/** Errors of the server in words: what happened and what to do. Pure. */

import { hereWords } from "./here";

/** `PendingResponseRejected` of vscode-jsonrpc. */
const ENDED = -32097;

/** Return an error as a message for people; undefined where the user cancelled. */
export function failureWords(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) {
    return String(error);
  }
  const { message, code, data } = error as { message?: unknown; code?: unknown; data?: unknown };
  const known = typeof data === "object" && data !== null ? (data as { code?: unknown; remedy?: unknown }) : {};
  // What the end of the server, or of its agent's process, cut short is told with that end, once.
  if (code === -32800 || code === ENDED || known.code === "cancelled" || known.code === "workerDied") {
    return undefined;
  }
  const words = typeof message === "string" && message !== "" ? message : "The request failed.";
  const remedy = typeof known.remedy === "string" ? known.remedy : "";
  return hereWords(remedy === "" || words.includes(remedy) ? words : `${words} ${remedy}`);
}

/** Return whether another model, address or key mends an error. */
export function isAboutModel(error: unknown): boolean {
  return ["noModel", "modelFailed"].includes(codeOf(error));
}

/** Return the server's code of an error, empty where it has none. */
export function codeOf(error: unknown): string {
  const { data } = (error ?? {}) as { data?: { code?: unknown } };
  return typeof data?.code === "string" ? data.code : "";
}
