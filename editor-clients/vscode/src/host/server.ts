/** The server's life: found, started, asked, started again after a crash, and stopped. */
import * as os from "node:os";
import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  State,
  WorkDoneProgress,
  type LanguageClientOptions,
  type Middleware,
} from "vscode-languageclient/node";
import { locate, type Found } from "../core/locate";
import { RestartPolicy } from "../core/restart";
import { initializationOptions, serverEnvironment } from "../core/settings";
import { notRunning, type ServerState } from "../core/status";
import type { AgentEvent, Proposal, Status } from "../core/wire";
import { configuredPath, readSettings, startedWith } from "./config";
import { isProgram } from "./program";

export const KEY_SECRET = "greenline.apiKey";

export class Server implements vscode.Disposable {
  private readonly stateChanges = new vscode.EventEmitter<ServerState>();
  private readonly events = new vscode.EventEmitter<AgentEvent>();
  private readonly proposals = new vscode.EventEmitter<Proposal>();
  private readonly statuses = new vscode.EventEmitter<Status>();
  readonly onState = this.stateChanges.event;
  readonly onEvent = this.events.event;
  readonly onProposal = this.proposals.event;
  readonly onStatus = this.statuses.event;
  private readonly policy = new RestartPolicy();
  private client: LanguageClient | undefined;
  private currentState: ServerState = "off";
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private program = "";
  /** What the settings were at the last start. */
  private settings: string | undefined;

  constructor(
    private readonly secrets: vscode.SecretStorage,
    readonly log: vscode.LogOutputChannel,
    private readonly middleware: Middleware,
  ) {}

  get state(): ServerState {
    return this.currentState;
  }

  /** Return the program that runs or ran last; empty where none was found. */
  get command(): string {
    return this.program;
  }

  /** Start the server where it can be; at most one start is under way. */
  start(): Promise<void> {
    this.starting ??= this.startOnce().finally(() => {
      this.starting = undefined;
    });
    return this.starting;
  }

  /** Stop the server and start it with the settings as they are now.
   *
   * Several settings that change together ask for this several times: whoever asks before the start shares it.
   */
  async restart(): Promise<void> {
    this.policy.reset();
    this.stopping ??= this.stop().finally(() => {
      this.stopping = undefined;
    });
    await this.stopping;
    await this.start();
  }

  /** Start the server anew where the settings are others than those that it was started with. */
  async settingsChanged(): Promise<void> {
    if (this.settings !== undefined && this.settings !== startedWith()) {
      await this.restart();
    }
  }

  /** Wait for a start that is under way; rejects, in words, where there is no server then. */
  async ready(): Promise<void> {
    await this.starting;
    if (this.currentState === "starting") {
      // A server that ended is being started again.
      await new Promise<void>((resolve) => {
        const listener = this.onState(() => {
          listener.dispose();
          resolve();
        });
      });
    }
    if (this.client === undefined || this.currentState !== "running") {
      throw new Error(notRunning(this.currentState === "running" ? "stopped" : this.currentState));
    }
  }

  async stop(): Promise<void> {
    await this.starting;
    const client = this.client;
    this.client = undefined;
    if (client !== undefined && client.state !== State.Stopped) {
      await client.stop().catch((error: unknown) => {
        this.log.warn(`stopping the server: ${String(error)}`);
      });
    }
    this.become("stopped");
  }

  dispose(): void {
    void this.stop();
    this.stateChanges.dispose();
    this.events.dispose();
    this.proposals.dispose();
    this.statuses.dispose();
  }

  /** Send a request; rejects with the server's error, or says that there is no server. */
  async request<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T> {
    await this.ready();
    const client = present(this.client);
    // A token that is not there would be sent as a second parameter.
    return token === undefined ? client.sendRequest<T>(method, params) : client.sendRequest<T>(method, params, token);
  }

  /** Run one of the server's commands. */
  execute<T>(name: string, argument: object): Promise<T> {
    return this.request<T>("workspace/executeCommand", { command: `greenline.server.${name}`, arguments: [argument] });
  }

  /** Send a request that takes long, with its progress and a way to cancel it in a notification. */
  work<T>(title: string, method: string, params: Record<string, unknown>): Thenable<T> {
    const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
    return vscode.window.withProgress(options, async (progress, cancellation) => {
      const token = `greenline-client-${String(Date.now())}-${Math.random().toString(36).slice(2)}`;
      const listener = this.client?.onProgress(WorkDoneProgress.type, token, (value) => {
        if (value.kind !== "end" && value.message !== undefined) {
          progress.report({ message: value.message });
        }
      });
      try {
        return await this.request<T>(method, { ...params, workDoneToken: token }, cancellation);
      } finally {
        listener?.dispose();
      }
    });
  }

  /** Return where the server is, as the settings and the machine are now. */
  find(): Found {
    const surroundings = {
      configured: configuredPath(),
      searchPath: process.env["PATH"] ?? "",
      folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
      home: os.homedir(),
      windows: process.platform === "win32",
    };
    return locate(surroundings, { isProgram });
  }

  private async startOnce(): Promise<void> {
    this.settings = startedWith();
    if (!vscode.workspace.isTrusted) {
      this.become("untrusted");
      return;
    }
    if ((vscode.workspace.workspaceFolders ?? []).length === 0) {
      this.become("off");
      return;
    }
    const found = this.find();
    if (found.kind === "missing") {
      this.log.warn(found.reason);
      this.program = "";
      this.become("missing");
      return;
    }
    this.program = found.command;
    this.log.info(`starting ${found.command} serve (found by: ${found.from})`);
    this.become("starting");
    const client = await this.connect(found.command);
    try {
      await client.start();
    } catch (error) {
      this.log.error(`the server did not start: ${String(error)}`);
      this.become("stopped");
      void this.offerRestart(`The Greenline server could not be started: ${String(error)}`);
    }
  }

  private async connect(command: string): Promise<LanguageClient> {
    const settings = readSettings();
    const key = await this.secrets.get(KEY_SECRET);
    const executable = {
      command,
      args: ["serve"],
      options: { env: serverEnvironment(process.env, settings, key) },
    };
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }],
      outputChannel: this.log,
      initializationOptions: initializationOptions(settings),
      middleware: this.middleware,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue }),
        closed: () => this.closed(),
      },
    };
    const client = new LanguageClient("greenline", "Greenline", executable, options);
    client.onDidChangeState(({ newState }) => {
      if (this.client === client) {
        this.become(newState === State.Running ? "running" : newState === State.Starting ? "starting" : "stopped");
      }
    });
    client.onNotification("agent/event", (event: AgentEvent) => {
      this.events.fire(event);
    });
    client.onNotification("agent/proposalChanged", ({ proposal }: { proposal: Proposal }) => {
      this.proposals.fire(proposal);
    });
    client.onNotification("agent/statusChanged", (status: Status) => {
      this.statuses.fire(status);
    });
    this.client = client;
    return client;
  }

  private closed(): { action: CloseAction; handled: boolean } {
    const decision = this.policy.ended(Date.now());
    this.log.error(decision.message);
    if (decision.restart) {
      void vscode.window.showWarningMessage(decision.message);
      return { action: CloseAction.Restart, handled: true };
    }
    void this.offerRestart(decision.message);
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  private async offerRestart(message: string): Promise<void> {
    const chosen = await vscode.window.showErrorMessage(message, "Start it again", "Show the log");
    if (chosen === "Start it again") {
      await this.restart();
    } else if (chosen === "Show the log") {
      this.log.show();
    }
  }

  private become(state: ServerState): void {
    this.currentState = state;
    this.stateChanges.fire(state);
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) {
    throw new Error(notRunning("stopped"));
  }
  return value;
}
