/** The peek at one change: the quick diff over the proposed text, in a tab that comes and goes with the peek. */
import * as vscode from "vscode";
import type { Waiting } from "../core/book";
import { proposedUri } from "./proposed-files";
import type { Review } from "./review";

const MAX_TRIES = 20;
const WAIT_MS = 250;

interface Shown {
  readonly waiting: Waiting;
  readonly file: vscode.Uri;
  readonly proposed: vscode.Uri;
  /** Where the user was; undefined where that was no file. */
  readonly from: { readonly uri: vscode.Uri; readonly viewColumn: vscode.ViewColumn } | undefined;
  /** Editors in no column that showed the file before, as the left side of a diff is. */
  nBefore: number;
  isOpen: boolean;
}

export class Peek implements vscode.Disposable {
  private shown: Shown | undefined;
  private readonly listeners: readonly vscode.Disposable[];

  constructor(private readonly review: Review) {
    this.listeners = [
      vscode.window.onDidChangeVisibleTextEditors(() => {
        if (this.shown?.isOpen === true && !isOpen(this.shown)) {
          void this.close();
        }
      }),
      review.onBook(() => {
        const waiting = this.shown?.waiting;
        if (waiting !== undefined && review.book.find(waiting.proposal.id, waiting.hunk.id) === undefined) {
          void this.close();
        }
      }),
    ];
  }

  dispose(): void {
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
  }

  /** Open the peek at a change, in the direction that reads as a diff; false where VS Code opens none.
   *
   * With Escape, or a decision about the change, the tab is gone and the focus back where it was.
   */
  async open(waiting: Waiting): Promise<boolean> {
    await this.close();
    const file = vscode.Uri.parse(waiting.hunk.uri, true);
    const shown: Shown = { waiting, file, proposed: proposedUri(file), from: whereFrom(), nBefore: 0, isOpen: false };
    this.shown = shown;
    const document = await vscode.workspace.openTextDocument(shown.proposed);
    // Kept, not a preview: that would take the place of the file, where the file's tab is one.
    const editor = await vscode.window.showTextDocument(document, { preview: false });
    const placed = (await this.review.proposedFor(file)).placed.find(({ hunk }) => hunk.id === waiting.hunk.id);
    const at = new vscode.Position(Math.max(0, (placed?.proposedStart ?? 0) - 1), 0);
    editor.selection = new vscode.Selection(at, at);
    shown.nBefore = sidesOf(file);
    // VS Code computes the changes some time after the document is shown, tells nobody, and opens no peek before.
    for (let tries = 0; tries < MAX_TRIES && this.shown === shown; tries += 1) {
      await vscode.commands.executeCommand("editor.action.dirtydiff.next");
      await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
      if (isOpen(shown)) {
        shown.isOpen = true;
        return true;
      }
    }
    if (this.shown === shown) {
      await this.close();
      return false;
    }
    return true;
  }

  private async close(): Promise<void> {
    const { shown } = this;
    this.shown = undefined;
    if (shown === undefined) {
      return;
    }
    const tabs = tabsOf(shown.proposed);
    const hadFocus = tabs.some((tab) => tab.isActive && tab.group.isActive);
    await vscode.window.tabGroups.close(tabs, !hadFocus);
    if (hadFocus && shown.from !== undefined && tabsOf(shown.from.uri).length > 0) {
      await vscode.window.showTextDocument(shown.from.uri, { viewColumn: shown.from.viewColumn });
    }
  }
}

function whereFrom(): Shown["from"] {
  const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
  return tab?.input instanceof vscode.TabInputText ? { uri: tab.input.uri, viewColumn: tab.group.viewColumn } : undefined;
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** Return whether the original side of a peek shows the file: one more editor that is in no column. */
function isOpen(shown: Shown): boolean {
  return sidesOf(shown.file) > shown.nBefore;
}

function sidesOf(file: vscode.Uri): number {
  return vscode.window.visibleTextEditors.filter(
    ({ document, viewColumn }) => viewColumn === undefined && document.uri.toString() === file.toString(),
  ).length;
}
