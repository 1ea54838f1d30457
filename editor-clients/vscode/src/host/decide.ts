/** The decisions about hunks, from lenses, keys, the peek's buttons and the palette. */
import * as vscode from "vscode";
import { isWaiting, type Waiting } from "../core/book";
import { codeOf } from "../core/failure";
import type { Hunk, ReviewResult, UndoResult } from "../core/wire";
import type { Diffs } from "./diff";
import { fileOf } from "./proposed-files";
import type { Review } from "./review";
import type { Server } from "./server";

export interface HunkRef {
  readonly proposalId: string;
  readonly hunkId: string;
}

/** A change of the quick diff, as VS Code hands it to the buttons of its peek; lines count from 1. */
interface QuickChange {
  readonly modifiedStartLineNumber: number;
  readonly modifiedEndLineNumber: number;
}

export class Decide {
  /** Hunks that are being decided about: a second click on the same lens is none. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly server: Server,
    private readonly review: Review,
    private readonly diffs: Diffs,
  ) {}

  async hunk(verb: "accept" | "reject", ...from: readonly unknown[]): Promise<void> {
    const waiting = this.meant(from);
    if (waiting === undefined) {
      void vscode.window.showInformationMessage("Greenline: no proposed change is here.");
      return;
    }
    const { proposal, hunk } = waiting;
    if (this.underWay.has(hunk.id)) {
      return;
    }
    this.underWay.add(hunk.id);
    try {
      if (verb === "accept" && !(await isWanted([hunk]))) {
        return;
      }
      await this.server.execute<ReviewResult>(`${verb}Hunk`, { proposalId: proposal.id, hunkId: hunk.id });
    } finally {
      this.underWay.delete(hunk.id);
    }
  }

  async all(verb: "accept" | "reject"): Promise<void> {
    const proposals = this.review.book.open();
    if (proposals.length === 0) {
      void vscode.window.showInformationMessage("Greenline: nothing waits for a review.");
    }
    if (verb === "accept" && !(await isWanted(proposals.flatMap(({ hunks }) => hunks.filter(isWaiting))))) {
      return;
    }
    for (const proposal of proposals) {
      await this.server.execute<ReviewResult>(`${verb}All`, { proposalId: proposal.id });
    }
  }

  /** Take the newest accepted change back; places that were edited since stay, and are named. */
  async undo(): Promise<void> {
    const nBefore = this.review.book.count();
    const result = await this.server.request<UndoResult>("agent/undo", {}).catch((error: unknown) => {
      if (codeOf(error) === "notFound") {
        return undefined;
      }
      throw error;
    });
    if (result === undefined) {
      void vscode.window.showInformationMessage("Greenline: there is nothing to undo.");
      return;
    }
    const { restored, conflicts } = result;
    const name = (uri: string): string => vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
    if (conflicts.length > 0) {
      const places = conflicts.map(
        ({ uri, line, reason }) => `${name(uri)}${line === undefined ? "" : `:${String(line + 1)}`}: ${reason}`,
      );
      void vscode.window.showWarningMessage(`Not undone: ${places.join("; ")}`);
    } else if (restored.length === 0) {
      // The editor's own undo tells nobody; now it counts.
      const waits = this.review.book.count() > nBefore ? "; it waits for a review again" : "";
      void vscode.window.showInformationMessage(`Greenline: the editor had taken the newest change back already${waits}.`);
    } else {
      void vscode.window.showInformationMessage(`Undone in ${restored.map(name).join(", ")}.`);
    }
  }

  /** Explain a hunk where it stands: the hover at its first line. */
  async why(from: unknown): Promise<void> {
    const waiting = this.meant([from]);
    if (waiting === undefined) {
      void vscode.window.showInformationMessage("Greenline: no proposed change is here.");
      return;
    }
    const active = vscode.window.activeTextEditor;
    const file = vscode.Uri.parse(waiting.hunk.uri, true);
    const isShown = active !== undefined && fileOf(active.document.uri)?.toString() === file.toString();
    if (waiting.hunk.op === "create" && !isShown) {
      await this.diffs.openOne(file);
    }
    const editor = isShown || waiting.hunk.op === "create" ? vscode.window.activeTextEditor : await vscode.window.showTextDocument(file);
    const place = editor && this.review.linesOf(editor.document, file).find(({ hunk }) => hunk.id === waiting.hunk.id);
    if (editor !== undefined && place !== undefined) {
      const at = new vscode.Position(place.line, editor.document.lineAt(place.line).firstNonWhitespaceCharacterIndex);
      editor.selection = new vscode.Selection(at, at);
      editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      await vscode.commands.executeCommand("editor.action.showHover", { focus: "noAutoFocus" });
    }
  }

  /** Return the hunk that a lens names, that a peek's button stands for, or that is at the cursor. */
  private meant(from: readonly unknown[]): Waiting | undefined {
    const [first, changes, index] = from;
    if (isReference(first)) {
      return this.review.book.find(first.proposalId, first.hunkId);
    }
    if (first instanceof vscode.Uri && Array.isArray(changes) && typeof index === "number") {
      const change = changes[index] as QuickChange | undefined;
      const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === first.toString());
      const file = fileOf(first);
      if (change === undefined || document === undefined || file === undefined) {
        return undefined;
      }
      return this.ofChange(document, file, change);
    }
    return this.diffs.atCursor();
  }

  private ofChange(document: vscode.TextDocument, file: vscode.Uri, change: QuickChange): Waiting | undefined {
    const first = Math.max(0, change.modifiedStartLineNumber - 1);
    const last = Math.max(first, change.modifiedEndLineNumber - 1);
    const nearest = this.review
      .linesOf(document, file)
      .map(({ hunk, start }) => ({ hunk, distance: start < first ? first - start : Math.max(0, start - last) }))
      .sort((a, b) => a.distance - b.distance)[0];
    return this.review.book.of(file.toString()).find((each) => each.hunk.id === nearest?.hunk.id);
  }
}

/** Ask whether changes are wanted in files that are gone from the disk while the editor still shows them. */
async function isWanted(hunks: readonly Hunk[]): Promise<boolean> {
  const files = [...new Set(hunks.filter(({ op }) => op === "edit").map(({ uri }) => uri))].map((uri) => vscode.Uri.parse(uri, true));
  const isThere = await Promise.all(files.map((file) => vscode.workspace.fs.stat(file).then(() => true, () => false)));
  const gone = files.filter((_, n) => isThere[n] === false).map((file) => vscode.workspace.asRelativePath(file));
  if (gone.length === 0) {
    return true;
  }
  const words = `${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} not on the disk any more; saving what is accepted makes the file anew.`;
  return (await vscode.window.showWarningMessage(words, "Accept anyway")) !== undefined;
}

function isReference(value: unknown): value is HunkRef {
  return typeof value === "object" && value !== null && "proposalId" in value && "hunkId" in value;
}
