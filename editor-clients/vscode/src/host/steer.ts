/** The hand on runs under way: cancel, pause, and go on. */
import * as vscode from "vscode";
import { openQuestions } from "../core/question";
import { stateWords } from "../core/tree";
import type { AgentEvent, Run, Status, UnderWay } from "../core/wire";
import type { Ask } from "./ask";
import { someFolders } from "./folders";
import type { Server } from "./server";

/** A run as the tree or a link names it. */
export interface RunRef {
  readonly id?: string;
  readonly runId?: string;
}

const SHOWN_MS = 5000;
const STOPPED = ["paused", "interrupted", "cancelled", "failed"];

export class Steer {
  constructor(
    private readonly server: Server,
    private readonly ask: Ask,
  ) {}

  async cancel(run: RunRef | undefined): Promise<void> {
    const runId = nameOf(run) ?? (await this.choose("Agent: cancel a run", await this.underWay(), "Greenline: no run is under way."));
    if (runId !== undefined) {
      await this.server.request("agent/cancel", { runId });
    }
  }

  /** Pause a run; it stands still before its next step, which is said where that takes time. */
  async pause(run: RunRef | undefined): Promise<void> {
    const runId = nameOf(run) ?? (await this.choosePause());
    if (runId === undefined) {
      return;
    }
    const { state } = await this.server.request<{ state: string }>("agent/pause", { runId });
    if (state !== "paused") {
      vscode.window.setStatusBarMessage("$(debug-pause) Greenline: the run pauses before its next step", SHOWN_MS);
    }
  }

  /** Let the only paused run go on, or one that is chosen. */
  async resume(run: RunRef | undefined): Promise<void> {
    const paused = (await this.underWay()).filter(({ state }) => state === "paused").map(({ runId }) => runId);
    const runId = nameOf(run) ?? (paused.length === 1 ? paused[0] : await this.chooseStopped());
    if (runId === undefined) {
      return;
    }
    if (!paused.includes(runId)) {
      // Before the request, since the run may be at rest again before its answer comes.
      this.ask.takenUp(runId);
    }
    await this.server.request("agent/resume", { runId });
  }

  /** Ask again what a run waits for, as where its question was closed. */
  async answer(run: RunRef | undefined): Promise<void> {
    const waiting = (await this.underWay()).filter(({ state }) => state === "needsInput");
    const runId = nameOf(run) ?? (await this.choose("Agent: answer", waiting, "Greenline: no run waits for an answer."));
    if (runId === undefined) {
      return;
    }
    const { events } = await this.server.request<{ events: AgentEvent[] }>("agent/run", { runId });
    for (const question of openQuestions(events)) {
      await this.ask.answer(runId, question);
    }
  }

  private async underWay(): Promise<readonly UnderWay[]> {
    return (await this.server.request<Status>("agent/status", {})).underWay;
  }

  private async choosePause(): Promise<string | undefined> {
    const runs = await this.underWay();
    const going = runs.filter(({ state }) => state !== "paused");
    const isPaused = runs.length > 0 && going.length === 0;
    return this.choose("Agent: pause a run", going, `Greenline: ${isPaused ? "the run is paused already" : "no run is under way"}.`);
  }

  private async chooseStopped(): Promise<string | undefined> {
    const { runs } = await this.server.request<{ runs: Run[] }>("agent/runs", { limit: 50 });
    const stopped = runs.filter(({ state }) => STOPPED.includes(state));
    const items = stopped.map(({ id, request, state, roots }) => ({ runId: id, request, state, roots: roots ?? [] }));
    return this.pick("Agent: resume a run", items, "Greenline: no run can be resumed.");
  }

  private async choose(title: string, runs: readonly UnderWay[], none: string): Promise<string | undefined> {
    return runs.length === 1 ? runs[0]?.runId : this.pick(title, runs, none);
  }

  private async pick(title: string, runs: readonly UnderWay[], none: string): Promise<string | undefined> {
    if (runs.length === 0) {
      void vscode.window.showInformationMessage(none);
      return undefined;
    }
    const items = runs.map(({ runId, request, state, roots }) => ({
      label: request,
      description: [stateWords(state), ...someFolders(roots)].join(" · "),
      runId,
    }));
    return (await vscode.window.showQuickPick(items, { title }))?.runId;
  }
}

function nameOf(run: RunRef | undefined): string | undefined {
  return run?.id ?? run?.runId;
}
