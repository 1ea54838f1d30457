/** Wires the parts together; every command is registered here, once. */
import * as vscode from "vscode";
import { failureWords, isAboutModel } from "./core/failure";
import { notRunning } from "./core/status";
import { measuredSentence } from "./core/verdict";
import type { ExplainResult, Proposal, Run } from "./core/wire";
import { Ask, pointedAt } from "./host/ask";
import { Decide } from "./host/decide";
import { Diffs } from "./host/diff";
import { Disk } from "./host/disk";
import { doctor } from "./host/doctor";
import { Hovers, linksOf, linksTo } from "./host/hover";
import { Installer } from "./host/install";
import { middleware } from "./host/middleware";
import { selectModel } from "./host/model";
import { Pages } from "./host/pages";
import { Peek } from "./host/peek";
import { Plans } from "./host/plans";
import { QuickDiff } from "./host/quick-diff";
import { Review } from "./host/review";
import { RunView } from "./host/run-view";
import { Server } from "./host/server";
import { StatusBar } from "./host/status-bar";
import { Steer, type RunRef } from "./host/steer";

interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly review: Review;
  readonly diffs: Diffs;
  readonly peeks: Peek;
  readonly decide: Decide;
  readonly ask: Ask;
  readonly plans: Plans;
  readonly pages: Pages;
  readonly runs: RunView;
  readonly installer: Installer;
  readonly steer: Steer;
}

let running: Server | undefined;

/** Start the extension; returns once the server runs or it is said why it does not. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const parts = makeParts(context);
  running = parts.server;
  for (const [name, run] of Object.entries(commandsOf(parts))) {
    const guarded = (...args: unknown[]): Promise<void> => guard(parts.server, run, args);
    context.subscriptions.push(vscode.commands.registerCommand(`greenline.${name}`, guarded));
  }
  listen(parts);
  await parts.server.start();
}

/** Stop the server in order; VS Code waits for that. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

function makeParts(context: vscode.ExtensionContext): Parts {
  const log = vscode.window.createOutputChannel("Greenline", { log: true });
  const review = new Review();
  // The middleware shows pages only after the server has answered, when they exist.
  const later: { pages?: Pages; plans?: Plans } = {};
  const server: Server = new Server(
    context.secrets,
    log,
    middleware(
      () => present(later.pages),
      (file, position) => linksAt(server, review, file, position),
    ),
  );
  const pages = (later.pages = new Pages(server, review));
  const ask = new Ask(server, review, () => present(later.plans));
  const plans = (later.plans = new Plans(server, (runId) => ask.execute(runId)));
  const diffs = new Diffs(review);
  const peeks = new Peek(review);
  const decide = new Decide(server, review, diffs);
  const runs = new RunView(server);
  const installer = new Installer(server, context.extensionPath);
  context.subscriptions.push(log, review, server, pages, plans, peeks, new QuickDiff(review), runs, new StatusBar(server, review), new Hovers(server, review), new Disk(review));
  const steer = new Steer(server, ask);
  return { context, server, review, diffs, peeks, decide, ask, plans, pages, runs, installer, steer };
}

type Handler = (...args: never[]) => unknown;

function commandsOf(parts: Parts): Record<string, Handler> {
  const { server, ask, decide, diffs, plans, pages, runs, context, steer } = parts;
  return {
    implement: () => ask.implement(),
    plan: () => ask.plan(),
    fixTests: () => ask.fixTests(),
    fixDiagnostic: () => ask.fixDiagnostic(),
    writeTests: () => ask.writeTests(),
    explain: () => explain(parts),
    review: () => reviewAll(parts),
    acceptAll: () => decide.all("accept"),
    rejectAll: () => decide.all("reject"),
    acceptHunk: (...args: unknown[]) => decide.hunk("accept", ...args),
    rejectHunk: (...args: unknown[]) => decide.hunk("reject", ...args),
    why: (reference?: unknown) => decide.why(reference),
    undo: () => decide.undo(),
    nextHunk: () => diffs.go("next"),
    previousHunk: () => diffs.go("previous"),
    openDiff: (file?: unknown) => diffs.openOne(file instanceof vscode.Uri ? file : undefined),
    openAllDiffs: () => diffs.openAll(),
    peek: () => peek(parts),
    cancel: (run?: RunRef) => steer.cancel(run),
    pause: (run?: RunRef) => steer.pause(run),
    resume: (run?: RunRef) => steer.resume(run),
    answer: (run?: RunRef) => steer.answer(run),
    verify: (reference?: { proposalId?: string }) => verify(parts, reference),
    showRun: (reference?: { runId?: string; id?: string }) => runs.show(reference?.runId ?? reference?.id),
    showOlderRuns: () => runs.showOlder(),
    showPlan: (reference?: { id?: string }) => showPlan(parts, reference?.id),
    showEvidence: (reference?: { proposalId?: string; runId?: string }) => pages.showEvidence(reference),
    approvePlan: (uri?: vscode.Uri) => plans.approve(uri),
    revisePlan: (uri?: vscode.Uri) => plans.revise(uri),
    cancelPlan: (uri?: vscode.Uri) => plans.cancel(uri),
    status: () => pages.showStatus(),
    selectModel: () => selectModel(server, context.secrets),
    doctor: () => doctor(server, pages, context.secrets),
    install: () => parts.installer.offer(),
    restart: () => restart(server),
    showLog: () => {
      server.log.show();
    },
  };
}

function listen({ context, server, review, ask, installer }: Parts): void {
  context.subscriptions.push(
    server.onProposal((proposal) => {
      review.put(proposal);
    }),
    server.onEvent((event) => void guard(server, () => ask.hear(event), [])),
    server.onState((state) => {
      if (state === "missing") {
        void guard(server, () => installer.offer(), []);
      } else if (state !== "running") {
        review.clear();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.start()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      // A server that runs hears of the folders itself; the first one starts it.
      if (server.state === "off") {
        void server.start();
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("greenline")) {
        void guard(server, () => server.settingsChanged(), []);
      }
    }),
  );
}

/** Run a handler; what goes wrong is said once, in words, and is in the log. */
async function guard(server: Server, run: Handler, args: readonly unknown[]): Promise<void> {
  try {
    await run(...(args as never[]));
  } catch (error) {
    const words = failureWords(error);
    if (words === undefined) {
      return;
    }
    server.log.error(words);
    // Whoever called the command need not wait until somebody closes the message.
    void tell(server, words, isAboutModel(error) ? SELECT_MODEL : undefined);
  }
}

interface Remedy {
  readonly title: string;
  readonly command: string;
}

const SELECT_MODEL: Remedy = { title: "Select model…", command: "greenline.selectModel" };
const MANAGE_TRUST: Remedy = { title: "Manage trust", command: "workbench.trust.manage" };
const SHOW_LOG: Remedy = { title: "Show the log", command: "greenline.showLog" };

async function tell(server: Server, words: string, remedy: Remedy | undefined): Promise<void> {
  const remedies = server.state === "untrusted" ? [MANAGE_TRUST] : [...(remedy === undefined ? [] : [remedy]), SHOW_LOG];
  const chosen = await vscode.window.showErrorMessage(words, ...remedies.map(({ title }) => title));
  const wanted = remedies.find(({ title }) => title === chosen);
  if (wanted !== undefined) {
    await vscode.commands.executeCommand(wanted.command);
  }
}

/** Return the links below a hover: of what waits there, or of what was accepted there. */
async function linksAt(
  server: Server,
  review: Review,
  file: vscode.Uri,
  position: vscode.Position,
): Promise<vscode.MarkdownString[]> {
  const waiting = linksOf(review, file, position.line);
  if (waiting.length > 0) {
    return waiting;
  }
  const params = { textDocument: { uri: file.toString() }, position: { line: position.line, character: position.character } };
  const { runId } = await server.request<ExplainResult>("agent/explain", params);
  return runId === undefined ? [] : [linksTo(runId)];
}

/** Start the server anew; where there can be none it is said. */
async function restart(server: Server): Promise<void> {
  await server.restart();
  if (server.state === "off" || server.state === "untrusted") {
    throw new Error(notRunning(server.state));
  }
}

async function explain({ server, pages }: Parts): Promise<void> {
  const pointed = pointedAt();
  if (pointed === undefined) {
    void vscode.window.showInformationMessage("Greenline: open a file of the workspace first.");
    return;
  }
  const params = { textDocument: { uri: pointed.uri }, range: pointed.selection };
  const { markdown } = await server.request<ExplainResult>("agent/explain", params);
  await pages.note("explanation", markdown);
}

async function reviewAll({ review, diffs }: Parts): Promise<void> {
  if (review.book.files().length > 1) {
    await diffs.openAll();
  } else {
    await diffs.go("next");
  }
}

async function peek({ diffs, peeks, review }: Parts): Promise<void> {
  const waiting = diffs.atCursor() ?? review.book.of(review.book.files()[0] ?? "")[0];
  if (waiting === undefined) {
    void vscode.window.showInformationMessage("Greenline: nothing waits for a review.");
    return;
  }
  // A file that is not there has no quick diff.
  if (waiting.hunk.op === "create" || !(await peeks.open(waiting))) {
    await diffs.openOne(vscode.Uri.parse(waiting.hunk.uri, true));
  }
}

async function verify({ server, review }: Parts, reference: { proposalId?: string } | undefined): Promise<void> {
  const proposalId = reference?.proposalId ?? review.book.open()[0]?.id;
  if (proposalId === undefined) {
    void vscode.window.showInformationMessage("Greenline: there is nothing to verify.");
    return;
  }
  const { proposal } = await server.work<{ proposal: Proposal }>("Agent: verifying again", "agent/verify", { proposalId });
  // Whoever called the command need not wait until somebody closes the message.
  void vscode.window.showInformationMessage(measuredSentence(proposal.evidence));
}

async function showPlan({ server, plans }: Parts, runId: string | undefined): Promise<void> {
  if (runId !== undefined) {
    await plans.showRun((await server.request<{ run: Run }>("agent/run", { runId })).run);
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error("a part is used before it is made");
  }
  return value;
}
