/** The Source Control side: files that wait as resources, and the quick diff with its peek. */
import * as vscode from "vscode";
import { PROPOSED, fileOf, proposedUri } from "./proposed-files";
import type { Review } from "./review";

const MAX_TRIES = 20;
const WAIT_MS = 250;

export class QuickDiff implements vscode.Disposable {
  private control: vscode.SourceControl | undefined;
  private group: vscode.SourceControlResourceGroup | undefined;
  private readonly listener: vscode.Disposable;

  constructor(private readonly review: Review) {
    this.listener = review.onBook(() => {
      this.show();
    });
  }

  dispose(): void {
    this.listener.dispose();
    this.control?.dispose();
  }

  /** Open the peek at the next change of the proposed text over the buffer's, in the direction that reads as a diff. */
  async peek(file: vscode.Uri, line: number): Promise<void> {
    const document = await vscode.workspace.openTextDocument(proposedUri(file));
    const editor = await vscode.window.showTextDocument(document, { preview: true });
    const at = new vscode.Position(Math.max(0, line - 1), 0);
    editor.selection = new vscode.Selection(at, at);
    // VS Code computes the changes some time after the document is shown, tells nobody, and opens no peek before.
    for (let tries = 0; tries < MAX_TRIES && !isPeekOpen(file); tries += 1) {
      await vscode.commands.executeCommand("editor.action.dirtydiff.next");
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
    }
  }

  /** Source control is shown while something waits, and gone with the last decision. */
  private show(): void {
    const files = this.review.book.files();
    if (files.length === 0) {
      this.control?.dispose();
      this.control = this.group = undefined;
      return;
    }
    if (this.control === undefined) {
      this.control = vscode.scm.createSourceControl("greenline", "Greenline");
      this.control.inputBox.visible = false;
      // The proposed text is the document and the buffer its original, so that red goes and green comes.
      this.control.quickDiffProvider = {
        provideOriginalResource: (uri) => (uri.scheme === PROPOSED ? fileOf(uri) : undefined),
      };
      this.group = this.control.createResourceGroup("proposed", "Proposed changes");
    }
    this.control.count = this.review.book.count();
    if (this.group !== undefined) {
      this.group.resourceStates = files.map((file) => {
        const uri = vscode.Uri.parse(file, true);
        return {
          resourceUri: uri,
          contextValue: "proposed",
          command: { title: "Show the proposed change", command: "greenline.openDiff", arguments: [uri] },
        };
      });
    }
  }
}

/** Return whether the original side of a peek shows a file: an editor that is in no column. */
function isPeekOpen(file: vscode.Uri): boolean {
  return vscode.window.visibleTextEditors.some(
    ({ document, viewColumn }) => viewColumn === undefined && document.uri.toString() === file.toString(),
  );
}
