/** The proposed texts as a read-only file system, since VS Code's quick diff looks at files alone. */
import * as vscode from "vscode";
import { isServed } from "../core/place";
import type { ProposedText } from "../core/proposed";

/** Scheme of the proposed text of a file: the file's path, and its URI as the query. */
export const PROPOSED = "greenline-proposed";

export class ProposedFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;
  private readonly times = new Map<string, number>();

  constructor(private readonly textOf: (file: vscode.Uri) => Promise<ProposedText>) {}

  dispose(): void {
    this.changes.dispose();
  }

  /** Say that the text of a URI may be another. */
  changed(uri: vscode.Uri): void {
    const key = uri.toString();
    this.times.set(key, Math.max(Date.now(), (this.times.get(key) ?? 0) + 1));
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const time = this.times.get(uri.toString()) ?? 1;
    return { type: vscode.FileType.File, ctime: 1, mtime: time, size: (await this.readFile(uri)).length };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const file = fileOf(uri);
    if (file === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return new TextEncoder().encode((await this.textOf(file)).text);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }
}

/** Return the URI of the proposed text of a file. */
export function proposedUri(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: PROPOSED, authority: "", query: file.toString() });
}

/** Return the file that a document shows, or whose proposed text it shows. */
export function fileOf(uri: vscode.Uri): vscode.Uri | undefined {
  if (uri.scheme === PROPOSED) {
    return vscode.Uri.parse(uri.query, true);
  }
  return isServed(uri) ? uri : undefined;
}
