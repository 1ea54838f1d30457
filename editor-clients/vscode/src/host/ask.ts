/** What the user asks the agent for: in words, about a place, and what then comes back. */
import * as vscode from "vscode";
import { contextOf, isServed, isSomething, promptWithout, type Pointed } from "../core/place";
import { answerTitles, decisionOf, questionOf } from "../core/question";
import { oneLine } from "../core/text";
import { outcomeSentence } from "../core/verdict";
import type { AgentEvent, ExecuteResult, PlanResult, Question, Run, TaskContext } from "../core/wire";
import { meantFolder, someFolders } from "./folders";
import type { Plans } from "./plans";
import { askForRequest } from "./request-box";
import type { Review } from "./review";
import type { Server } from "./server";

export class Ask {
  /** Runs that were planned here and wait for answers before there is a plan. */
  private readonly unplanned = new Set<string>();
  /** Runs that were taken up again, whose end no request of this window waits for. */
  private readonly resumed = new Set<string>();
  /** When the user last asked or answered something here, in milliseconds. */
  private since = 0;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
    private readonly plans: () => Plans,
  ) {}

  async implement(): Promise<void> {
    // What is written into the box would be lost where nobody can take it.
    await this.server.ready();
    const asked = await askForRequest("Agent: implement", promptWithout("What should be implemented?", unsavedName()), pointedAt());
    if (asked !== undefined) {
      await this.work(asked.request, asked.context);
    }
  }

  async plan(): Promise<void> {
    await this.server.ready();
    const asked = await askForRequest("Agent: plan", promptWithout("What should be planned?", unsavedName()), pointedAt());
    if (asked === undefined) {
      return;
    }
    this.since = Date.now();
    const result = await this.server.work<PlanResult>("Agent: planning", "agent/plan", { ...asked });
    if (result.plan !== undefined) {
      await this.plans().arrived(result.runId, asked.request, result.plan, this.since);
      return;
    }
    this.unplanned.add(result.runId);
    for (const question of result.questions) {
      await this.answer(result.runId, question);
    }
  }

  /** Fix the failing tests, of the active file's folder where there are several. */
  async fixTests(): Promise<void> {
    await this.server.ready();
    const folder = await meantFolder("Agent: fix failing tests");
    if (folder !== undefined) {
      await this.work("make the failing tests pass", folder === "all" ? undefined : { files: [folder.uri.toString()] });
    }
  }

  async fixDiagnostic(): Promise<void> {
    const pointed = pointedAt();
    const message = pointed?.diagnostics[0];
    if (pointed === undefined || message === undefined) {
      void vscode.window.showInformationMessage("Greenline: put the cursor on a problem first.");
      return;
    }
    await this.work(`Fix this problem: ${message}`, contextOf(pointed, ["selection", "diagnostics"]));
  }

  async writeTests(): Promise<void> {
    const pointed = pointedAt();
    if (pointed === undefined) {
      void vscode.window.showInformationMessage("Greenline: open a file of the workspace first.");
      return;
    }
    const words = isSomething(pointed.selection) ? "Write tests for the selected code." : "Write tests for this file.";
    await this.work(words, contextOf(pointed, isSomething(pointed.selection) ? ["selection"] : ["file"]));
  }

  /** Carry out a plan that was approved. */
  async execute(runId: string): Promise<void> {
    this.finished(await this.server.work<ExecuteResult>("Agent: working", "agent/execute", { runId }));
  }

  /** Wait for the end of a run that was taken up again, and tell of it. */
  takenUp(runId: string): void {
    this.since = Date.now();
    this.resumed.add(runId);
  }

  /** Hear an event: ask what a run asks, show a plan that came after answers, tell of a resumed run's end. */
  async hear(event: AgentEvent): Promise<void> {
    const question = questionOf(event);
    const state = event.kind === "state" ? event.data["state"] : undefined;
    if (question !== undefined) {
      await this.answer(event.runId, question);
    } else if (state === "awaitingApproval" && (this.unplanned.delete(event.runId) || this.resumed.delete(event.runId))) {
      const { id, request, plan } = await this.runOf(event.runId);
      if (plan !== undefined) {
        await this.plans().arrived(id, request, plan, this.since);
      }
    } else if ((state === "proposed" || state === "failed") && this.resumed.delete(event.runId)) {
      const { id, note, ...run } = await this.runOf(event.runId);
      this.finished({ ...run, runId: id, note: note ?? "" });
    }
  }

  private async runOf(runId: string): Promise<Run> {
    return (await this.server.request<{ run: Run }>("agent/run", { runId })).run;
  }

  private async work(request: string, context: TaskContext | undefined): Promise<void> {
    const uris = [context?.textDocument?.uri, ...(context?.files ?? [])].filter((uri) => uri !== undefined);
    const where = someFolders(uris).map((name) => ` (${name})`);
    const title = `Agent: ${oneLine(request, 60).replace(/[.:;!?]+$/, "")}${where.join("")}`;
    this.finished(await this.server.work<ExecuteResult>(title, "agent/execute", { request, ...(context && { context }) }));
  }

  private finished(result: ExecuteResult): void {
    if (result.state === "cancelled") {
      return;
    }
    const sentence = outcomeSentence(result.proposal, result.state, result.note);
    this.server.log.info(`${result.runId}: ${sentence}`);
    void this.tell(result, sentence);
  }

  private async tell(result: ExecuteResult, sentence: string): Promise<void> {
    if (result.proposal === undefined) {
      const shown = await vscode.window.showWarningMessage(sentence, "Show the run");
      if (shown !== undefined) {
        await vscode.commands.executeCommand("greenline.showRun", { runId: result.runId });
      }
      return;
    }
    this.review.put(result.proposal);
    const chosen = await vscode.window.showInformationMessage(sentence, "Review", "Evidence");
    if (chosen === "Review") {
      await vscode.commands.executeCommand("greenline.review");
    } else if (chosen === "Evidence") {
      await vscode.commands.executeCommand("greenline.showEvidence", { proposalId: result.proposal.id, runId: result.runId });
    }
  }

  /** Ask a question of a run, and send the answer. */
  async answer(runId: string, question: Question): Promise<void> {
    const titles = answerTitles(question);
    const chosen = titles.length > 0 ? await vscode.window.showWarningMessage(question.text, ...titles) : await inWords(question);
    const decision = decisionOf(question, chosen);
    if (decision !== undefined) {
      this.since = Date.now();
      await this.server.request("agent/respond", { runId, checkpointId: question.id, decision });
    }
  }
}

/** Ask for an answer in words, once the user is ready: a box that opened by itself would swallow what they type. */
async function inWords(question: Question): Promise<string | undefined> {
  while ((await vscode.window.showWarningMessage(`The agent asks: ${question.text}`, "Answer…")) !== undefined) {
    const words = await vscode.window.showInputBox({ title: "The agent asks", prompt: question.text, ignoreFocusOut: true });
    if (words !== undefined && words.trim() !== "") {
      return words;
    }
  }
  return undefined;
}

/** Return the name of the active document where it was never saved. */
function unsavedName(): string | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.isUntitled === true ? document.fileName : undefined;
}

/** Return what the cursor is on, in a document that the server reads. */
export function pointedAt(): Pointed | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || !isServed(editor.document.uri)) {
    return undefined;
  }
  const { start, end } = editor.selection;
  const diagnostics = vscode.languages
    .getDiagnostics(editor.document.uri)
    .filter(({ range }) => range.intersection(editor.selection) !== undefined)
    .map(({ message }) => message);
  return {
    uri: editor.document.uri.toString(),
    selection: {
      start: { line: start.line, character: start.character },
      end: { line: end.line, character: end.character },
    },
    diagnostics,
  };
}
