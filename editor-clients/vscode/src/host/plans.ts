/** Plans as Markdown documents in memory: written, approved, revised, cancelled. */
import * as vscode from "vscode";
import { readPlan, renderPlan, saysTheSame } from "../core/plan-document";
import { oneLine } from "../core/text";
import type { Plan, Run } from "../core/wire";
import { Attention } from "./attention";
import type { Server } from "./server";

/** Scheme of plans: `greenline-plan:/RUN/plan.md`. */
export const PLAN = "greenline-plan";

export class Plans implements vscode.Disposable {
  private readonly files = new PlanFiles();
  private readonly known = new Map<string, { plan: Plan; request: string }>();
  private readonly attention = new Attention();
  private readonly problems = vscode.languages.createDiagnosticCollection("greenline-plan");
  private readonly parts: vscode.Disposable[];

  constructor(
    private readonly server: Server,
    private readonly execute: (runId: string) => Promise<void>,
  ) {
    this.parts = [
      this.attention,
      this.problems,
      this.files,
      vscode.workspace.registerFileSystemProvider(PLAN, this.files, { isCaseSensitive: true }),
      vscode.languages.registerCodeLensProvider({ scheme: PLAN }, this),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => {
      part.dispose();
    });
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const runId = runOf(document.uri);
    const top = new vscode.Range(0, 0, 0, 0);
    const lens = (title: string, command: string): vscode.CodeLens =>
      new vscode.CodeLens(top, { title, command, arguments: [document.uri] });
    return runId === undefined
      ? []
      : [
          lens("✓ Approve", "greenline.approvePlan"),
          lens("✎ Revise", "greenline.revisePlan"),
          lens("✗ Cancel", "greenline.cancelPlan"),
        ];
  }

  /** Show the plan of a run as a document to edit. */
  async show(runId: string, request: string, plan: Plan): Promise<void> {
    this.known.set(runId, { plan, request });
    const uri = uriOf(runId);
    this.files.put(uri, renderPlan(request, runId, plan));
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: false });
  }

  /** Show a plan that was asked for at a time; where the user has gone on to something else, offer it. */
  async arrived(runId: string, request: string, plan: Plan, since: number): Promise<void> {
    if (!this.attention.hasMovedSince(since)) {
      await this.show(runId, request, plan);
      return;
    }
    void this.offer(runId, request, plan);
  }

  private async offer(runId: string, request: string, plan: Plan): Promise<void> {
    const chosen = await vscode.window.showInformationMessage(`The plan for “${oneLine(request, 60)}” is ready.`, "Show the plan");
    if (chosen !== undefined) {
      await this.show(runId, request, plan);
    }
  }

  /** Show the plan of a run that the server knows. */
  async showRun(run: Run): Promise<void> {
    if (run.plan === undefined) {
      void vscode.window.showInformationMessage("This run has no plan yet.");
      return;
    }
    await this.show(run.id, run.request, run.plan);
  }

  /** Carry out the plan as the document has it; a document that is no plan shows what is wrong. */
  async approve(uri: vscode.Uri | undefined): Promise<void> {
    const found = await this.read(uri);
    if (found === undefined) {
      return;
    }
    if (!saysTheSame(found.plan, found.known)) {
      await this.server.request("agent/revisePlan", { runId: found.runId, plan: found.plan });
    }
    await this.close(found.document);
    await this.execute(found.runId);
  }

  /** Ask for another version of the plan by an instruction; what was edited goes along. */
  async revise(uri: vscode.Uri | undefined): Promise<void> {
    const found = await this.read(uri);
    if (found === undefined) {
      return;
    }
    const instruction = await vscode.window.showInputBox({
      title: "Agent: revise the plan",
      prompt: "What should change in the plan?",
      ignoreFocusOut: true,
    });
    if (instruction === undefined || instruction.trim() === "") {
      return;
    }
    if (!saysTheSame(found.plan, found.known)) {
      await this.server.request("agent/revisePlan", { runId: found.runId, plan: found.plan });
    }
    const since = Date.now();
    const { plan } = await this.server.work<{ plan: Plan }>("Agent: revising the plan", "agent/revisePlan", {
      runId: found.runId,
      instruction,
    });
    const request = this.known.get(found.runId)?.request ?? "";
    if (this.attention.hasMovedSince(since)) {
      await this.close(found.document);
      void this.offer(found.runId, request, plan);
    } else {
      await this.close(found.document);
      await this.show(found.runId, request, plan);
    }
  }

  /** Cancel the run whose plan is shown. */
  async cancel(uri: vscode.Uri | undefined): Promise<void> {
    const document = documentOf(uri);
    const runId = document === undefined ? undefined : runOf(document.uri);
    if (document === undefined || runId === undefined) {
      return;
    }
    await this.server.request("agent/cancel", { runId });
    await this.close(document);
  }

  private async read(
    uri: vscode.Uri | undefined,
  ): Promise<{ document: vscode.TextDocument; runId: string; plan: Plan; known: Plan } | undefined> {
    const document = documentOf(uri);
    const runId = document === undefined ? undefined : runOf(document.uri);
    if (document === undefined || runId === undefined) {
      void vscode.window.showInformationMessage("Greenline: no plan is open; choose “Agent: plan” first.");
      return undefined;
    }
    const known = this.known.get(runId)?.plan ?? (await this.planOf(runId));
    const reading = known === undefined ? undefined : readPlan(document.getText(), known);
    if (known === undefined || reading === undefined) {
      void vscode.window.showErrorMessage(`Greenline: the run ${runId} has no plan.`);
      return undefined;
    }
    if ("problems" in reading) {
      const marks = reading.problems.map(
        ({ line, message }) => new vscode.Diagnostic(document.lineAt(line).range, message),
      );
      this.problems.set(document.uri, marks);
      void vscode.window.showErrorMessage(`This plan cannot be carried out. ${reading.problems[0]?.message ?? ""}`);
      return undefined;
    }
    this.problems.delete(document.uri);
    return { document, runId, plan: reading.plan, known };
  }

  private async planOf(runId: string): Promise<Plan | undefined> {
    return (await this.server.request<{ run: Run }>("agent/run", { runId })).run.plan;
  }

  private async close(document: vscode.TextDocument): Promise<void> {
    if (document.isDirty) {
      await document.save();
    }
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === document.uri.toString());
    await vscode.window.tabGroups.close(tabs);
  }
}

function uriOf(runId: string): vscode.Uri {
  return vscode.Uri.from({ scheme: PLAN, path: `/${runId}/plan.md` });
}

function runOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === PLAN ? uri.path.split("/")[1] : undefined;
}

function documentOf(uri: vscode.Uri | undefined): vscode.TextDocument | undefined {
  const wanted = uri ?? vscode.window.activeTextEditor?.document.uri;
  return vscode.workspace.textDocuments.find(
    (document) => document.uri.scheme === PLAN && document.uri.toString() === wanted?.toString(),
  );
}

/** Files that live as long as the window. */
class PlanFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly texts = new Map<string, { bytes: Uint8Array; time: number }>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;

  put(uri: vscode.Uri, text: string): void {
    this.writeFile(uri, new TextEncoder().encode(text));
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const file = this.texts.get(uri.path);
    if (file === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return { type: vscode.FileType.File, ctime: file.time, mtime: file.time, size: file.bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const file = this.texts.get(uri.path);
    if (file === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return file.bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const time = Math.max(Date.now(), (this.texts.get(uri.path)?.time ?? 0) + 1);
    const type = this.texts.has(uri.path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.texts.set(uri.path, { bytes, time });
    this.changes.fire([{ type, uri }]);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    this.texts.delete(uri.path);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.changes.dispose();
  }
}
