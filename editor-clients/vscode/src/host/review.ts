/** The inline review: lenses, decorations and virtual documents of the proposed text.
 *
 * Invariant: nothing here changes a buffer; an accepted hunk comes as the server's `workspace/applyEdit`.
 */
import * as vscode from "vscode";
import { Book } from "../core/book";
import { lensesOf } from "../core/lens";
import { isServed } from "../core/place";
import { preview, proposedText, type ProposedText } from "../core/proposed";
import type { Hunk, Proposal } from "../core/wire";
import { PROPOSED, ProposedFiles, fileOf, proposedUri } from "./proposed-files";

/** Scheme of an empty document, the left side of a file that would be created. */
export const EMPTY = "greenline-empty";

export class Review implements vscode.Disposable, vscode.CodeLensProvider {
  readonly book = new Book((uri) => isOpen(uri, this.closed));
  /** Folders that were open in this window, by their URIs: the server may still tell of hunks in them. */
  private readonly closed = new Set<string>();
  private readonly lensChanges = new vscode.EventEmitter<void>();
  private readonly files = new ProposedFiles((file) => this.proposedFor(file));
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.lensChanges.event;
  /** Fires when what waits for a review is another. */
  readonly onBook = this.changes.event;
  private readonly parts: vscode.Disposable[] = [];
  private readonly goes = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("greenline.removedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("greenline.pendingRuler"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly comes = vscode.window.createTextEditorDecorationType({
    after: {
      margin: "0 0 0 2em",
      color: new vscode.ThemeColor("greenline.proposedForeground"),
      fontStyle: "italic",
    },
  });

  constructor() {
    this.parts.push(
      this.goes,
      this.comes,
      this.lensChanges,
      this.files,
      this.changes,
      vscode.languages.registerCodeLensProvider([{ scheme: "file" }, { scheme: PROPOSED }], this),
      vscode.workspace.registerFileSystemProvider(PROPOSED, this.files, { isCaseSensitive: true, isReadonly: true }),
      vscode.workspace.registerTextDocumentContentProvider(EMPTY, { provideTextDocumentContent: () => "" }),
      vscode.window.onDidChangeVisibleTextEditors((editors) => {
        editors.forEach((editor) => {
          this.decorate(editor);
        });
      }),
      vscode.window.onDidChangeActiveTextEditor(() => {
        this.tellContext();
      }),
      vscode.workspace.onDidChangeWorkspaceFolders((event) => {
        this.foldersChanged(event);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.book.of(document.uri.toString()).length > 0) {
          this.files.changed(proposedUri(document.uri));
        }
      }),
    );
  }

  dispose(): void {
    this.parts.forEach((part) => {
      part.dispose();
    });
  }

  /** Take a proposal as the server tells it. */
  put(proposal: Proposal): void {
    this.changed(this.book.put(normalised(proposal)));
  }

  /** Forget all, since the server is gone. */
  clear(): void {
    this.changed(this.book.clear());
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const file = fileOf(document.uri);
    if (file === undefined) {
      return [];
    }
    return this.linesOf(document, file).flatMap(({ hunk, line }) => {
      const waiting = this.book.of(file.toString()).find((each) => each.hunk.id === hunk.id);
      const range = new vscode.Range(line, 0, line, 0);
      return (waiting === undefined ? [] : lensesOf(waiting)).map(
        (lens) =>
          new vscode.CodeLens(range, {
            title: lens.title,
            tooltip: lens.tooltip,
            command: lens.command,
            arguments: [...lens.arguments],
          }),
      );
    });
  }

  /** Return the proposed text of a file and the places in it; a file that is not there counts as empty. */
  async proposedFor(file: vscode.Uri): Promise<ProposedText> {
    const hunks = this.book.of(file.toString()).map(({ hunk }) => hunk);
    const created = hunks.find((hunk) => hunk.op === "create");
    if (created !== undefined) {
      return wholeFile(created, created.after);
    }
    const deleted = hunks.find((hunk) => hunk.op === "delete");
    if (deleted !== undefined) {
      return wholeFile(deleted, "");
    }
    const document = await vscode.workspace.openTextDocument(file);
    return proposedText(document.getText(), hunks.filter((hunk) => hunk.state === "pending"));
  }

  /** Return where each waiting hunk begins in a document, the buffer or the proposed text. */
  linesOf(document: vscode.TextDocument, file: vscode.Uri): { hunk: Hunk; line: number; start: number }[] {
    const hunks = this.book.of(file.toString()).map(({ hunk }) => hunk);
    const last = Math.max(0, document.lineCount - 1);
    if (document.uri.scheme !== PROPOSED) {
      return hunks.map((hunk) => {
        const line = Math.min(hunk.range.start.line, last);
        return { hunk, line, start: line };
      });
    }
    const whole = hunks.find((hunk) => hunk.op !== "edit");
    if (whole !== undefined) {
      return [{ hunk: whole, line: 0, start: 0 }];
    }
    const buffer = vscode.workspace.textDocuments.find((each) => each.uri.toString() === file.toString());
    const placed = proposedText(buffer?.getText() ?? "", hunks.filter((hunk) => hunk.state === "pending")).placed;
    return placed.map(({ hunk, proposedStart }) => {
      const line = Math.min(proposedStart, last);
      return { hunk, line, start: line };
    });
  }

  private foldersChanged({ added, removed }: vscode.WorkspaceFoldersChangeEvent): void {
    const before = this.book.files();
    removed.forEach(({ uri }) => this.closed.add(uri.toString()));
    added.forEach(({ uri }) => this.closed.delete(uri.toString()));
    this.book.forgetElsewhere();
    this.changed([...before, ...this.book.files()]);
  }

  private changed(files: readonly string[]): void {
    const touched = new Set(files);
    for (const editor of vscode.window.visibleTextEditors) {
      if (touched.has(editor.document.uri.toString())) {
        this.decorate(editor);
      }
    }
    files.forEach((file) => {
      this.files.changed(proposedUri(vscode.Uri.parse(file, true)));
    });
    this.lensChanges.fire();
    this.changes.fire();
    this.tellContext();
  }

  private decorate(editor: vscode.TextEditor): void {
    const document = editor.document;
    if (!isServed(document.uri)) {
      return;
    }
    const waiting = this.book.of(document.uri.toString()).filter(({ hunk }) => hunk.op !== "create");
    const last = Math.max(0, document.lineCount - 1);
    editor.setDecorations(
      this.goes,
      waiting
        .filter(({ hunk }) => hunk.range.end.line > hunk.range.start.line && hunk.state === "pending")
        .map(({ hunk }) => new vscode.Range(hunk.range.start.line, 0, Math.min(hunk.range.end.line - 1, last), 0)),
    );
    editor.setDecorations(
      this.comes,
      waiting.map(({ hunk }) => {
        const line = Math.min(hunk.range.start.line, last);
        const end = document.lineAt(line).range.end;
        const text = hunk.state === "conflicted" ? "conflicted: the text that it replaces is gone" : preview(hunk);
        return {
          range: new vscode.Range(end, end),
          renderOptions: { after: { contentText: text } },
        };
      }),
    );
  }

  private tellContext(): void {
    const editor = vscode.window.activeTextEditor;
    const file = editor === undefined ? undefined : fileOf(editor.document.uri);
    const here = file === undefined ? [] : this.book.of(file.toString());
    void setContext("greenline.pending", this.book.count() > 0);
    void setContext("greenline.pendingHere", here.length > 0);
    void setContext("greenline.pendingFiles", this.book.files());
  }
}

/** Return whether a file is in no folder that was closed, or in another one as well. */
function isOpen(uri: string, closed: ReadonlySet<string>): boolean {
  const isClosed = [...closed].some((folder) => uri.startsWith(`${folder}/`));
  return !isClosed || vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri, true)) !== undefined;
}

/** Set a key that `when` clauses read. */
export function setContext(key: string, value: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", key, value);
}

/** Spell the URIs of hunks as VS Code does, so that they can be compared. */
function normalised(proposal: Proposal): Proposal {
  const hunks = proposal.hunks.map((hunk) => ({ ...hunk, uri: vscode.Uri.parse(hunk.uri, true).toString() }));
  return { ...proposal, hunks };
}

function wholeFile(hunk: Hunk, text: string): ProposedText {
  return { text, placed: [{ hunk, start: 0, end: 0, proposedStart: 0, proposedEnd: 0 }], skipped: [] };
}
