/** The tests that run inside the extension host, beside the packaged extension, and the door through which they are called.
 *
 * Each leaves the file as it found it, with the change waiting. `test/ui/inhost.test.ts` calls them one by one.
 */
import * as assert from "node:assert/strict";
import * as http from "node:http";
import * as vscode from "vscode";
import {
  accept, begin, closeAll, disk, FILE, hovers, ID, insert, lensAt, lenses, lineOf, NEW, noLens, OLD, pause, proposed, servers, show, takeBack, until, uri,
} from "./desk.ts";

/** Environment variable with the socket at which the tests are called. */
export const SOCKET = "INHOST_SOCKET";

export const TESTS: Readonly<Record<string, () => Promise<void>>> = {
  "the extension runs in the host, and every command of its manifest is registered": async () => {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension);
    await extension.activate();
    const { contributes } = extension.packageJSON as { contributes: { commands: { command: string }[] } };
    const known = new Set(await vscode.commands.getCommands(true));
    assert.deepEqual(contributes.commands.map(({ command }) => command).filter((command) => !known.has(command)), []);
    await until("the server runs", () => servers().length === 1, 60_000);
  },

  "fix failing tests ends with a change that waits; buffer and disk are as they were": async () => {
    const document = await show();
    const before = document.getText();
    await vscode.commands.executeCommand("greenline.fixTests");
    await lensAt(document, "✓ Accept", OLD);
    assert.equal(document.getText(), before);
    assert.equal(document.isDirty, false);
    assert.equal(disk(), before);
  },

  "each lens stands once above the change, names it, and runs a command of the manifest": async () => {
    const document = await show();
    const { line, argument } = await lensAt(document, "✓ Accept", OLD);
    const all = await lenses(document);
    assert.deepEqual(all.map((lens) => lens.command), ["acceptHunk", "rejectHunk", "why", "showEvidence"].map((name) => `greenline.${name}`));
    assert.ok(all.every((lens) => lens.line === line && lens.argument.proposalId === argument.proposalId));
    assert.match(all[3]?.title ?? "", /verified/);
  },

  "the server's part of a hover can run nothing, and the links below it can run two commands": async () => {
    const document = await show();
    const parts = await hovers(document, lineOf(document, OLD));
    const links = parts.filter(({ value }) => value.includes("command:"));
    assert.match(parts.map(({ value }) => value).join("\n"), /13 tests pass/);
    assert.deepEqual(links.map(({ isTrusted }) => isTrusted), [{ enabledCommands: ["greenline.showEvidence", "greenline.showRun"] }]);
    assert.ok(parts.filter((part) => !links.includes(part)).every(({ isTrusted, supportHtml }) => isTrusted !== true && supportHtml !== true));
    const elsewhere = await hovers(document, lineOf(document, "STEPS ="));
    assert.equal(elsewhere.filter(({ value }) => value.includes("Greenline")).length, 0);
  },

  "a change that waits is no problem of the file, and its code actions accept and reject it": async () => {
    const document = await show();
    const line = lineOf(document, OLD);
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "greenline"), []);
    const range = new vscode.Range(line, 0, line, 0);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", document.uri, range);
    const titles = actions.map(({ title }) => title).filter((title) => title.startsWith("Agent:"));
    assert.ok(["Agent: accept", "Agent: reject", "Agent: write tests"].every((title) => titles.includes(title)), titles.join());
    const { command } = actions.find(({ title }) => title === "Agent: accept") ?? {};
    assert.ok(command);
    await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
    await noLens(document);
    assert.ok(document.getText().includes(NEW));
    await takeBack(document);
  },

  "accepting is one undo step of the editor, and redo brings it back": async () => {
    const document = await show();
    await insert(lineOf(document, OLD) + 2, "        # Typed below.\n");
    const before = document.getText();
    await accept(document);
    const after = document.getText();
    assert.equal(after, before.replace(OLD, NEW));
    await vscode.commands.executeCommand("undo");
    assert.equal(document.getText(), before);
    await vscode.commands.executeCommand("redo");
    assert.equal(document.getText(), after);
    await takeBack(document);
    assert.equal(document.getText(), before);
    await removeLine(document, "# Typed below.");
  },

  "another extension's edit moves the change, and the editor's undo moves it back": async () => {
    const document = await show();
    const line = lineOf(document, OLD);
    await insert(0, "# One.\n# Two.\n");
    assert.equal((await lensAt(document, "✓ Accept", OLD)).line, line + 2);
    await vscode.commands.executeCommand("undo");
    assert.equal((await lensAt(document, "✓ Accept", OLD)).line, line);
  },

  "an edit of another extension while a change is accepted: both are there, whole": async () => {
    const document = await show();
    const before = document.getText();
    const { command, argument } = await lensAt(document, "✓ Accept", OLD);
    const accepting = vscode.commands.executeCommand(command, argument);
    for (let n = 0; n < 5; n += 1) {
      await insert(0, `# Meanwhile ${String(n)}.\n`);
    }
    await accepting;
    await until("the change is in, or waits", async () => document.getText().includes(NEW) || (await lenses(document)).length > 0);
    if (!document.getText().includes(NEW)) {
      await accept(document);
    }
    const typed = [4, 3, 2, 1, 0].map((n) => `# Meanwhile ${String(n)}.\n`).join("");
    assert.equal(document.getText(), typed + before.replace(OLD, NEW));
    await takeBack(document);
    assert.equal(document.getText(), typed + before);
    await removeLines(document, 0, 5);
  },

  "a change that is accepted twice at once is in the text once": async () => {
    const document = await show();
    const before = document.getText();
    const { command, argument } = await lensAt(document, "✓ Accept", OLD);
    await Promise.all([1, 2, 3].map(() => vscode.commands.executeCommand(command, argument)));
    await noLens(document);
    assert.equal(document.getText(), before.replace(OLD, NEW));
    await takeBack(document);
  },

  "formatting on save formats the file and takes no waiting change in": async () => {
    const document = await show();
    const before = document.getText();
    const config = vscode.workspace.getConfiguration("editor", document);
    const formatter = vscode.languages.registerDocumentFormattingEditProvider({ pattern: `**/${FILE}` }, {
      provideDocumentFormattingEdits: (formatted) => [vscode.TextEdit.insert(formatted.lineAt(0).range.start, "# Formatted.\n")],
    });
    await config.update("formatOnSave", true, vscode.ConfigurationTarget.Workspace);
    try {
      await insert(1, "# Saved.\n");
      await vscode.commands.executeCommand("workbench.action.files.save");
      await until("it is formatted and saved", () => disk().startsWith("# Formatted.\n") && !document.isDirty);
    } finally {
      formatter.dispose();
      await config.update("formatOnSave", undefined, vscode.ConfigurationTarget.Workspace);
    }
    assert.ok(disk().includes(OLD) && !disk().includes(NEW));
    await lensAt(document, "✓ Accept", OLD);
    await removeLine(document, "# Formatted.");
    await removeLine(document, "# Saved.");
    assert.equal(document.getText(), before);
  },

  "the proposed text is a document that nobody can write, and follows what is typed": async () => {
    const document = await show();
    const text = await vscode.workspace.openTextDocument(proposed(document.uri));
    assert.equal(text.getText(), document.getText().replace(OLD, NEW));
    assert.equal(vscode.workspace.fs.isWritableFileSystem("greenline-proposed"), false);
    await assert.rejects(async () => vscode.workspace.fs.writeFile(text.uri, new Uint8Array()));
    await vscode.window.showTextDocument(text, { preview: true });
    // Below the change nothing of it moves, and the server has nothing to tell.
    for (const [line, typed] of [[0, "# Above.\n"], [lineOf(document, OLD) + 3, "    # Below.\n"]] as const) {
      await insert(line, typed);
      await until(`the proposed text has ${typed.trim()} too`, () => text.getText() === document.getText().replace(OLD, NEW));
    }
    assert.equal((await lenses(text)).filter(({ title }) => title === "✓ Accept").length, 1);
    await show();
    await removeLine(document, "# Above.");
    await removeLine(document, "# Below.");
  },

  "a file that is closed and opened again has its change; in one that no editor shows it can be accepted": async () => {
    const { argument } = await lensAt(await show(), "✓ Accept", OLD);
    await closeAll();
    await until("no tab is left", () => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0));
    await lensAt(await show(), "✓ Accept", OLD);
    await closeAll();
    await vscode.commands.executeCommand("greenline.acceptHunk", argument);
    await until("the file has it", async () => (await vscode.workspace.openTextDocument(uri())).getText().includes(NEW));
    const document = await show();
    await noLens(document);
    await takeBack(document);
    await document.save();
  },

  "a change whose lines another extension takes away says so, and waits again once they are back": async () => {
    const document = await show();
    const line = lineOf(document, OLD);
    await removeLines(document, line, 2, false);
    await until("a conflict is told", async () => (await lenses(document)).some(({ title }) => title.includes("conflicted")));
    assert.ok((await lenses(document)).every(({ command }) => command !== "greenline.acceptHunk"));
    await vscode.commands.executeCommand("undo");
    assert.equal((await lensAt(document, "✓ Accept", OLD)).line, line);
  },

  "a file whose line ends are changed conflicts and says so, until they are as they were": async () => {
    const document = await show();
    const before = document.getText();
    await endLines(vscode.EndOfLine.CRLF);
    await until("a conflict is told", async () => (await lenses(document)).some(({ title }) => title.includes("conflicted")));
    await endLines(vscode.EndOfLine.LF);
    await lensAt(document, "✓ Accept", OLD);
    assert.equal(document.getText(), before);
  },

  "a reference to a change that is not there changes nothing and rejects nothing": async () => {
    const document = await show();
    const before = document.getText();
    for (const name of ["acceptHunk", "rejectHunk", "why"]) {
      await vscode.commands.executeCommand(`greenline.${name}`, { proposalId: "p-0", hunkId: "h-0" });
    }
    assert.equal(document.getText(), before);
    await lensAt(document, "✓ Accept", OLD);
  },

  "a setting of the server's starts it anew, once, and what waited still waits; another one leaves it alone": async () => {
    const document = await show();
    const [first] = servers();
    const config = vscode.workspace.getConfiguration("greenline");
    await config.update("trace.server", "messages", vscode.ConfigurationTarget.Workspace);
    await config.update("logLevel", "info", vscode.ConfigurationTarget.Workspace);
    await pause(1000);
    assert.deepEqual(servers(), [first]);
    await config.update("logLevel", "warning", vscode.ConfigurationTarget.Workspace);
    await until("another server runs", () => servers().length === 1 && servers()[0] !== first, 60_000);
    await until("the change waits again", async () => (await lenses(document)).length === 4, 60_000);
    const [second] = servers();
    for (const name of ["trace.server", "logLevel"]) {
      await config.update(name, undefined, vscode.ConfigurationTarget.Workspace);
    }
    await until("the next server runs", () => servers().length === 1 && servers()[0] !== second, 60_000);
    await until("there is one set of lenses", async () => (await lenses(document)).length === 4, 60_000);
  },

  "a line that was accepted tells its story in the hover of the line": async () => {
    const document = await show();
    await accept(document);
    const told = (await hovers(document, lineOf(document, NEW))).map(({ value }) => value).join("\n");
    assert.match(told, /make the failing tests pass/);
    await takeBack(document);
  },

  "what is rejected is gone from lenses, hover and proposed text, and the text stays": async () => {
    const document = await show();
    const before = document.getText();
    const { argument } = await lensAt(document, "↩ Reject", OLD);
    await vscode.commands.executeCommand("greenline.rejectHunk", argument);
    await noLens(document);
    assert.equal(document.getText(), before);
    const text = await vscode.workspace.openTextDocument(proposed(document.uri));
    await until("nothing is proposed any more", () => text.getText() === before);
    assert.equal((await hovers(document, lineOf(document, OLD))).filter(({ value }) => value.includes("13 tests pass")).length, 0);
  },
};

async function removeLine(document: vscode.TextDocument, text: string): Promise<void> {
  await removeLines(document, lineOf(document, text), 1);
}

async function removeLines(document: vscode.TextDocument, line: number, count: number, saves = true): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.delete(document.uri, new vscode.Range(line, 0, line + count, 0));
  assert.ok(await vscode.workspace.applyEdit(edit));
  if (saves) {
    await document.save();
  }
}

async function endLines(end: vscode.EndOfLine): Promise<void> {
  assert.ok(await vscode.window.activeTextEditor?.edit((edit) => {
    edit.setEndOfLine(end);
  }));
}

/** Serve the tests until the extension host ends; called by VS Code. */
export function run(): Promise<void> {
  const door = http.createServer((request, response) => {
    const name = decodeURIComponent((request.url ?? "/").slice(1));
    const test = TESTS[name] ?? ((): Promise<void> => Promise.reject(new Error(`there is no test “${name}”`)));
    begin().then(test).then(
      () => response.end(),
      (error: unknown) => {
        response.statusCode = 500;
        response.end(error instanceof Error ? (error.stack ?? error.message) : String(error));
      },
    );
  });
  return new Promise((_, reject) => {
    door.on("error", reject);
    door.listen(process.env[SOCKET]);
  });
}
