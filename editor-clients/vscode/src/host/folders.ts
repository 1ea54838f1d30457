/** The folders of a workspace of several: which one is meant, and how they are named. */
import * as vscode from "vscode";
import type { Book } from "../core/book";
import type { Where } from "../core/status";

/** Return the names of the folders that hold one of these URIs; none where that is all folders, or there is one. */
export function someFolders(uris: readonly string[]): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const held = new Set(uris.map((uri) => vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri, true))?.index));
  const names = folders.filter(({ index }) => held.has(index)).map(({ name }) => name);
  return names.length === folders.length ? [] : names;
}

/** Return what the status tells of the workspace and of what waits in it. */
export function whereOf(book: Book): Where {
  return { names: someFolders, pending: book.files(), nPending: book.count() };
}

/** Return the folder of the file in the active editor. */
export function activeFolder(): vscode.WorkspaceFolder | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  return active === undefined ? undefined : vscode.workspace.getWorkspaceFolder(active);
}

/** Return the folder that a request without a place is about: the active one, or the one that is chosen.
 *
 * `all` stands for all of them, as where there is one; undefined: nobody chose.
 */
export async function meantFolder(title: string): Promise<vscode.WorkspaceFolder | "all" | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length < 2) {
    return "all";
  }
  const active = activeFolder();
  if (active !== undefined) {
    return active;
  }
  const items: (vscode.QuickPickItem & { folder: vscode.WorkspaceFolder | "all" })[] = folders.map((folder) => ({
    label: folder.name,
    description: folder.uri.fsPath,
    folder,
  }));
  items.push({ label: "All folders", folder: "all" });
  return (await vscode.window.showQuickPick(items, { title, placeHolder: "In which folder?" }))?.folder;
}
