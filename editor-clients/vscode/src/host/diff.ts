/** The diffs of the buffer against the proposed text, and the way from hunk to hunk. */
import * as vscode from "vscode";
import { neighbour, touches } from "../core/proposed";
import type { Waiting } from "../core/book";
import type { Hunk } from "../core/wire";
import { fileOf, proposedUri } from "./proposed-files";
import { EMPTY, type Review } from "./review";

const OWN = "greenline-";

export class Diffs {
  constructor(private readonly review: Review) {}

  /** Open the inline diff of the file in the active editor, or of the first file with pending hunks. */
  async openOne(file?: vscode.Uri): Promise<void> {
    const wanted = file ?? this.currentFile();
    if (wanted === undefined) {
      void vscode.window.showInformationMessage("Greenline: nothing waits for a review.");
      return;
    }
    const hunk = this.review.book.of(wanted.toString())[0]?.hunk;
    const title = `${vscode.workspace.asRelativePath(wanted)} (now ↔ proposed)`;
    const right = await proposedDocument(wanted);
    await vscode.commands.executeCommand("vscode.diff", leftOf(wanted, hunk), right, title, { preview: true });
  }

  /** Open the diffs of all files that wait, one below the other. */
  async openAll(): Promise<void> {
    const files = this.review.book.files().map((file) => vscode.Uri.parse(file, true));
    if (files.length === 0) {
      void vscode.window.showInformationMessage("Greenline: nothing waits for a review.");
      return;
    }
    const resources = await Promise.all(
      files.map(async (file) => {
        const hunk = this.review.book.of(file.toString())[0]?.hunk;
        return [file, leftOf(file, hunk), await proposedDocument(file)];
      }),
    );
    await vscode.commands.executeCommand("vscode.changes", "Greenline: proposed changes", resources);
  }

  /** Go to the next or the previous hunk, into other files where this one has no more. */
  async go(direction: "next" | "previous"): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const file = editor === undefined ? undefined : fileOf(editor.document.uri);
    if (editor !== undefined && file !== undefined) {
      const places = this.review.linesOf(editor.document, file);
      const line = editor.selection.active.line;
      const isLast = places.every(({ start }) => (direction === "next" ? start <= line : start >= line));
      if (places.length > 0 && (!isLast || this.review.book.files().length === 1)) {
        reveal(editor, neighbour(places, line, direction)?.line ?? 0);
        return;
      }
    }
    await this.goToFile(file, direction);
  }

  /** Return the waiting hunk at the cursor, else the only one of the file. */
  atCursor(): Waiting | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor === undefined ? undefined : fileOf(editor.document.uri);
    if (editor === undefined || file === undefined) {
      return undefined;
    }
    const here = this.review.book.of(file.toString());
    const line = editor.selection.active.line;
    if (editor.document.uri.scheme === "file") {
      return here.find(({ hunk }) => touches(hunk, line)) ?? (here.length === 1 ? here[0] : undefined);
    }
    const before = this.review.linesOf(editor.document, file).filter(({ start }) => start <= line);
    const hunk = before.at(-1)?.hunk;
    return here.find((each) => each.hunk.id === hunk?.id) ?? here[0];
  }

  private currentFile(): vscode.Uri | undefined {
    const editor = vscode.window.activeTextEditor;
    const file = editor === undefined ? undefined : fileOf(editor.document.uri);
    if (file !== undefined && this.review.book.of(file.toString()).length > 0) {
      return file;
    }
    const first = this.review.book.files()[0];
    return first === undefined ? undefined : vscode.Uri.parse(first, true);
  }

  private async goToFile(from: vscode.Uri | undefined, direction: "next" | "previous"): Promise<void> {
    const files = this.review.book.files();
    if (files.length === 0) {
      void vscode.window.showInformationMessage("Greenline: nothing waits for a review.");
      return;
    }
    const at = files.indexOf(from?.toString() ?? "");
    const step = direction === "next" ? 1 : -1;
    const name = files[(at + step + files.length) % files.length] ?? "";
    const waiting = this.review.book.of(name);
    const hunk = (direction === "next" ? waiting[0] : waiting.at(-1))?.hunk;
    const file = vscode.Uri.parse(name, true);
    if (hunk?.op === "create") {
      await this.openOne(file);
      return;
    }
    const editor = await vscode.window.showTextDocument(file);
    reveal(editor, hunk?.range.start.line ?? 0);
  }
}

/** Open the proposed text of a file in a language of its own, for which a diff is in one column and has lenses.
 *
 * So no setting of the user's is touched, and no other diff looks otherwise than before.
 */
async function proposedDocument(file: vscode.Uri): Promise<vscode.Uri> {
  const document = await vscode.workspace.openTextDocument(proposedUri(file));
  if (!document.languageId.startsWith(OWN)) {
    const known = await vscode.languages.getLanguages();
    const own = OWN + document.languageId;
    await vscode.languages.setTextDocumentLanguage(document, known.includes(own) ? own : `${OWN}text`);
  }
  return document.uri;
}

function leftOf(file: vscode.Uri, hunk: Hunk | undefined): vscode.Uri {
  return hunk?.op === "create" ? file.with({ scheme: EMPTY, authority: "" }) : file;
}

function reveal(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(Math.min(line, Math.max(0, editor.document.lineCount - 1)), 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
