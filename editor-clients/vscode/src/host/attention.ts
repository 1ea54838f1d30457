/** Whether the user went on to something else while the agent worked: then nothing takes the focus from them. */
import * as vscode from "vscode";

export class Attention implements vscode.Disposable {
  private last = 0;
  private readonly listeners: vscode.Disposable[];

  constructor() {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && document === vscode.window.activeTextEditor?.document) {
          this.last = Date.now();
        }
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.last = Date.now();
      }),
    ];
  }

  dispose(): void {
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
  }

  /** Return whether the user has typed or gone to another editor after a time in milliseconds. */
  hasMovedSince(time: number): boolean {
    return this.last > time;
  }
}
