/** The Source Control side: files that wait as resources, and the quick diff. */
import * as vscode from "vscode";
import { PROPOSED, fileOf } from "./proposed-files";
import type { Review } from "./review";

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
