/** Explains a hunk in the proposed text, and links a hover to the evidence and the run. */
import * as vscode from "vscode";
import type { ExplainResult } from "../core/wire";
import { PROPOSED, fileOf } from "./proposed-files";
import type { Review } from "./review";
import type { Server } from "./server";

/** Commands that links in a hover may run; the text around them is the server's and stays untrusted. */
const LINKS = ["greenline.showEvidence", "greenline.showRun"];

export class Hovers implements vscode.HoverProvider, vscode.Disposable {
  private readonly registration: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
  ) {
    this.registration = vscode.languages.registerHoverProvider({ scheme: PROPOSED }, this);
  }

  dispose(): void {
    this.registration.dispose();
  }

  async provideHover(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Hover | undefined> {
    const file = fileOf(document.uri);
    if (file === undefined) {
      return undefined;
    }
    const placed = (await this.review.proposedFor(file)).placed;
    const hunk = placed.find(
      ({ proposedStart, proposedEnd }) => proposedStart <= position.line && position.line <= Math.max(proposedStart, proposedEnd - 1),
    )?.hunk;
    if (hunk === undefined) {
      return undefined;
    }
    const links = linksOf(this.review, file, hunk.range.start.line);
    if (hunk.op === "create") {
      return new vscode.Hover([new vscode.MarkdownString().appendText(hunk.why), ...links]);
    }
    const params = { textDocument: { uri: file.toString() }, position: { line: hunk.range.start.line, character: 0 } };
    const { markdown, hunkId } = await this.server.request<ExplainResult>("agent/explain", params);
    return hunkId === undefined ? undefined : new vscode.Hover([new vscode.MarkdownString(markdown), ...links]);
  }
}

/** Return the links below a hover on a line of a file with a waiting hunk; none elsewhere. */
export function linksOf(review: Review, file: vscode.Uri, line: number): vscode.MarkdownString[] {
  const waiting = review.book.at(file.toString(), line);
  if (waiting === undefined) {
    return [];
  }
  return [linksTo(waiting.proposal.runId, waiting.proposal.id)];
}

/** Return the links to what was measured in a run, and to the run. */
export function linksTo(runId: string, proposalId?: string): vscode.MarkdownString {
  const argument = (value: object): string => encodeURIComponent(JSON.stringify([value]));
  const evidence = `[$(beaker) Evidence](command:greenline.showEvidence?${argument({ proposalId, runId })})`;
  const run = `[$(list-tree) Run](command:greenline.showRun?${argument({ runId })})`;
  const text = new vscode.MarkdownString(`${evidence} · ${run}`, true);
  text.isTrusted = { enabledCommands: LINKS };
  return text;
}
