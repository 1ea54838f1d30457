/** Beside Greenline's extension while it is measured: answers as Greenline does, at once, and keeps the agent at work.
 *
 * What it has done is a line of JSON in `said.jsonl` beside the workspace.
 */
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

const TITLE = "Agent: make the failing tests pass";
/** Documents that are no files are none of Greenline's. */
const UNTITLED = { scheme: "untitled" };

const PAUSE_MS = 50;

let isWorking = false;
let nRuns = 0;

function beside(name) {
  return path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, "..", name);
}

function say(value) {
  fs.appendFileSync(beside("said.jsonl"), `${JSON.stringify({ nRuns, ...value })}\n`);
}

/** Return what is answered at the cursor: hovers and code actions. */
async function answers(document, selection) {
  const begun = performance.now();
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, selection.active);
  const between = performance.now();
  const actions = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, selection);
  return { hovers, actions, hoverMs: between - begun, actionMs: performance.now() - between };
}

/** Keep what Greenline answers at the cursor, and answer with it in every untitled document. */
async function learn() {
  const { document, selection } = vscode.window.activeTextEditor;
  const { hovers, actions } = await answers(document, selection);
  const contents = hovers.flatMap((hover) => hover.contents);
  vscode.languages.registerHoverProvider(UNTITLED, { provideHover: () => new vscode.Hover(contents) });
  vscode.languages.registerCodeActionsProvider(UNTITLED, { provideCodeActions: () => actions });
}

/** Ask for what Greenline answers at the cursor, as often as `n` says; nothing is drawn. */
async function ask() {
  const { document, selection } = vscode.window.activeTextEditor;
  const times = { hover: [], "code action": [] };
  for (let number = Number(fs.readFileSync(beside("n"), "utf8")); number > 0; number -= 1) {
    const { hovers, actions, hoverMs, actionMs } = await answers(document, selection);
    if (hovers.length === 0 || !actions.some(({ title }) => title === "Agent: accept")) {
      const titles = actions.map(({ title }) => title).join(", ");
      throw new Error(`line ${selection.active.line + 1}: ${hovers.length} hovers, ${hoverMs} ms; ${titles}, ${actionMs} ms`);
    }
    times.hover.push(hoverMs);
    times["code action"].push(actionMs);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  say({ times });
}

/** Show the text of the active editor in a document that is no file. */
async function control() {
  const { document } = vscode.window.activeTextEditor;
  const copy = await vscode.workspace.openTextDocument({ language: document.languageId, content: document.getText() });
  await vscode.window.showTextDocument(copy);
}

/**
 * Keep a run of the agent under way until `rest`: begun again when it ends, and its own proposal put away.
 *
 * What was rejected is not proposed again, so later runs search to the end and find nothing.
 */
async function work() {
  isWorking = true;
  let nProposals = 0;
  const options = { location: vscode.ProgressLocation.Notification, title: TITLE, cancellable: true };
  const fix = () => vscode.commands.executeCommand("greenline.server.fix", { request: "make the failing tests pass" });
  while (isWorking) {
    const result = await vscode.window.withProgress(options, fix);
    if (!isWorking) {
      return;
    }
    if (!result?.proposal && nProposals === 0) {
      throw new Error(`a run under load proposed nothing: ${JSON.stringify(result)}`);
    }
    nRuns += 1;
    say({});
    if (result?.proposal) {
      nProposals += 1;
      await vscode.commands.executeCommand("greenline.server.rejectAll", { proposalId: result.proposal.id });
    }
  }
}

/** End the work. */
async function rest() {
  isWorking = false;
  const { activeRuns } = await vscode.commands.executeCommand("greenline.server.status");
  for (const runId of activeRuns) {
    await vscode.commands.executeCommand("greenline.server.cancel", { runId });
  }
}

async function told(name, act) {
  try {
    const done = act();
    // The work has no end of its own.
    if (name !== "work") {
      await done;
    }
    say({ done: name });
    await done;
  } catch (error) {
    if (isWorking || name !== "work") {
      say({ failed: `${name}: ${error?.message ?? error}` });
    }
  }
}

exports.activate = (context) => {
  for (const [name, act] of Object.entries({ learn, control, ask, work, rest })) {
    context.subscriptions.push(vscode.commands.registerCommand(`greenlineBench.${name}`, () => told(name, act)));
  }
};
