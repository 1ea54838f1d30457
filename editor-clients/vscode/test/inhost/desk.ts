/** What the tests inside the extension host see and do through VS Code's API. */
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

export const FILE = "ledger/discount.py";
export const OLD = "if quantity > pieces:";
export const NEW = "if quantity >= pieces:";
export const ID = "greenline.greenline";
const LIMIT_MS = 30_000;

export function uri(): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    throw new Error("no folder is open");
  }
  return vscode.Uri.joinPath(folder.uri, FILE);
}

/** Return the URI of the proposed text of a file. */
export function proposed(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: "greenline-proposed", authority: "", query: file.toString() });
}

export function disk(): string {
  return readFileSync(uri().fsPath, "utf8");
}

let original = "";

/** Make the file as it was at the first time, with its change waiting, whatever the test before has left. */
export async function begin(): Promise<void> {
  await closeAll();
  const document = await show();
  if (original === "") {
    original = document.getText();
    return;
  }
  if (document.getText().includes(NEW)) {
    await vscode.commands.executeCommand("greenline.undo");
    await until("what was accepted is taken back", () => document.getText().includes(OLD));
  }
  if (document.eol !== vscode.EndOfLine.LF) {
    await vscode.window.activeTextEditor?.edit((edit) => {
      edit.setEndOfLine(vscode.EndOfLine.LF);
    });
  }
  const lines = new Set(original.split("\n"));
  const edit = new vscode.WorkspaceEdit();
  for (let line = 0; line < document.lineCount; line += 1) {
    if (!lines.has(document.lineAt(line).text)) {
      edit.delete(document.uri, new vscode.Range(line, 0, line + 1, 0));
    }
  }
  await vscode.workspace.applyEdit(edit);
  await document.save();
}

/** Open the file in an editor. */
export async function show(): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(uri());
  await vscode.window.showTextDocument(document);
  return document;
}

export async function closeAll(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.closeAllEditors");
}

/** Return the line, from 0, that holds a text. */
export function lineOf(document: vscode.TextDocument, text: string): number {
  const line = document.getText().split(/\r?\n/).findIndex((one) => one.includes(text));
  if (line < 0) {
    throw new Error(`no line with ${text} in:\n${document.getText()}`);
  }
  return line;
}

export interface Shown {
  readonly title: string;
  readonly line: number;
  readonly command: string;
  readonly argument: { readonly proposalId?: string; readonly hunkId?: string };
}

/** Return Greenline's lenses of a document, as VS Code has them. */
export async function lenses(document: vscode.TextDocument): Promise<Shown[]> {
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>("vscode.executeCodeLensProvider", document.uri, 99);
  return found.flatMap(({ command, range }) =>
    command?.command.startsWith("greenline.") === true
      ? [{ title: command.title, line: range.start.line, command: command.command, argument: (command.arguments?.[0] ?? {}) as Shown["argument"] }]
      : [],
  );
}

/** Wait for the lens with a title, which stands above the line with a text. */
export async function lensAt(document: vscode.TextDocument, title: string, text: string): Promise<Shown> {
  let found: Shown | undefined;
  await until(`the lens ${title} above ${text}`, async () => {
    const line = lineOf(document, text);
    found = (await lenses(document)).find((lens) => lens.title.startsWith(title) && lens.line === line);
    return found !== undefined;
  });
  return found as Shown;
}

export async function noLens(document: vscode.TextDocument): Promise<void> {
  await until("no lens is left", async () => (await lenses(document)).length === 0);
}

/** Insert a text at the beginning of a line, as another extension does. */
export async function insert(line: number, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.insert(uri(), new vscode.Position(line, 0), text);
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new Error("the edit was refused");
  }
}

/** Accept the waiting change by its lens. */
export async function accept(document: vscode.TextDocument): Promise<void> {
  const { command, argument } = await lensAt(document, "✓ Accept", OLD);
  await vscode.commands.executeCommand(command, argument);
  await noLens(document);
}

/** Take the accepted change back, so that it waits again. */
export async function takeBack(document: vscode.TextDocument): Promise<void> {
  await vscode.commands.executeCommand("greenline.undo");
  await lensAt(document, "✓ Accept", OLD);
}

/** Return the text of hovers on a line, and whether any of it may run commands. */
export async function hovers(document: vscode.TextDocument, line: number): Promise<vscode.MarkdownString[]> {
  const at = new vscode.Position(line, document.lineAt(line).firstNonWhitespaceCharacterIndex);
  const found = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", document.uri, at);
  return found.flatMap(({ contents }) => contents.map((part) => (typeof part === "string" ? new vscode.MarkdownString(part) : (part as vscode.MarkdownString))));
}

/** Return the servers that this extension host has started. */
export function servers(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const status = read(path.join("/proc", name, "status"));
      const command = read(path.join("/proc", name, "cmdline")).split("\0");
      return /^PPid:\s+(\d+)$/m.exec(status)?.[1] === String(process.pid) && command.includes("serve");
    })
    .map(Number);
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Wait until a condition holds; fails with `what` after a time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) {
      throw new Error(`not within ${String(limitMs)} ms: ${what}`);
    }
    await pause(50);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
