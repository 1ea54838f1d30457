/** Says that a file with waiting changes was changed on the disk, which the editor reads again without a word. */
import * as vscode from "vscode";
import { rereadSentence } from "../core/reread";
import type { Review } from "./review";

/** How long after a change it is known whether it was typed, and where the waiting changes are now. */
const SETTLED_MS = 500;

export class Disk implements vscode.Disposable {
  private readonly looks = new Map<string, NodeJS.Timeout>();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly review: Review) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
        // The first letter that is typed comes before the document counts as edited: who changed it is seen later.
        if (contentChanges.length > 0 && reason === undefined && !document.isDirty && this.waiting(document).length > 0) {
          this.lookSoon(document);
        }
      }),
      vscode.workspace.onDidSaveTextDocument((document) => {
        this.forget(document.uri.toString());
      }),
    ];
  }

  dispose(): void {
    [...this.looks.keys()].forEach((file) => {
      this.forget(file);
    });
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
  }

  private waiting(document: vscode.TextDocument): readonly { hunk: { state: string } }[] {
    return this.review.book.of(document.uri.toString());
  }

  private lookSoon(document: vscode.TextDocument): void {
    const file = document.uri.toString();
    this.forget(file);
    const look = (): void => {
      this.looks.delete(file);
      const waiting = this.waiting(document);
      if (!document.isDirty && waiting.length > 0) {
        const gone = waiting.filter(({ hunk }) => hunk.state === "conflicted").length;
        void vscode.window.showInformationMessage(rereadSentence(vscode.workspace.asRelativePath(document.uri), waiting.length, gone));
      }
    };
    this.looks.set(file, setTimeout(look, SETTLED_MS));
  }

  private forget(file: string): void {
    clearTimeout(this.looks.get(file));
    this.looks.delete(file);
  }
}
