/** The tree of runs in the side bar; asks the server when it is opened and hears events afterwards. */
import * as vscode from "vscode";
import { olderNode, runNode, withOlder, type TreeNode } from "../core/tree";
import type { AgentEvent, Run } from "../core/wire";
import { someFolders } from "./folders";
import type { Server } from "./server";

const PAGE = 50;

export class RunView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<TreeNode | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  /** Runs before the newest page that were asked for, the newest first. */
  private older: readonly Run[] = [];
  private hasOlder = false;
  /** Runs that were asked for by name, which may be older than all others that are shown. */
  private named: readonly Run[] = [];
  private readonly events = new Map<string, AgentEvent[]>();
  /** Run → how often it was asked to be open: a fresh id makes VS Code forget that it was closed. */
  private readonly opened = new Map<string, number>();
  private readonly view: vscode.TreeView<TreeNode>;
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    this.view = vscode.window.createTreeView("greenline.runs", { treeDataProvider: this, showCollapseAll: true });
    this.listeners = [
      server.onEvent((event) => {
        this.hear(event);
      }),
      server.onProposal(() => {
        this.refreshSoon();
      }),
      server.onState((state) => {
        if (state === "running") {
          this.events.clear();
          this.older = [];
          this.named = [];
          this.refreshSoon();
        }
      }),
    ];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.view.dispose();
    this.changes.dispose();
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const isRun = node.context.startsWith("run.");
    const opened = this.opened.get(node.id);
    const isOpen = node.open || opened !== undefined;
    const state = isRun || node.children.length > 0 ? (isOpen ? Expanded : Collapsed) : None;
    const item = new vscode.TreeItem(node.label, state);
    item.id = opened === undefined ? node.id : `${node.id}#${String(opened)}`;
    item.description = node.description;
    item.tooltip = node.tooltip;
    item.iconPath = new vscode.ThemeIcon(node.icon.replace("~spin", ""));
    item.contextValue = node.context;
    if (node.command !== undefined) {
      item.command = { title: node.label, command: node.command.id, arguments: [...node.command.arguments] };
    }
    return item;
  }

  async getChildren(node?: TreeNode): Promise<TreeNode[]> {
    if (node !== undefined) {
      return node.context.startsWith("run.") ? this.below(node) : [...node.children];
    }
    if (this.server.state !== "running") {
      return [];
    }
    const newest = await this.page();
    if (this.older.length === 0) {
      this.hasOlder = newest.length === PAGE;
    }
    const runs = withOlder(withOlder(newest, this.older), this.named);
    const nodes = runs.map((run) => runNode(run, this.events.get(run.id) ?? [], foldersOf(run)));
    return this.hasOlder ? [...nodes, olderNode()] : nodes;
  }

  /** Show the page of runs before those that are shown. */
  async showOlder(): Promise<void> {
    const shown = withOlder(await this.page(), this.older);
    const last = shown.at(-1);
    if (last === undefined) {
      return;
    }
    const more = await this.page(last.created);
    this.hasOlder = more.length === PAGE;
    this.older = withOlder(this.older, more);
    this.changes.fire(undefined);
  }

  /** Open a run in the tree, the newest without a name. */
  async show(runId?: string): Promise<void> {
    const run = runId === undefined ? (await this.page())[0] : await this.runOf(runId);
    if (run === undefined) {
      void vscode.window.showInformationMessage("Greenline: there is no run yet.");
      return;
    }
    this.named = withOlder([run], this.named);
    this.opened.set(run.id, (this.opened.get(run.id) ?? 0) + 1);
    this.changes.fire(undefined);
    await vscode.commands.executeCommand("greenline.runs.focus");
  }

  private async page(before?: number): Promise<readonly Run[]> {
    const params = before === undefined ? { limit: PAGE } : { limit: PAGE, before };
    return (await this.server.request<{ runs: Run[] }>("agent/runs", params)).runs;
  }

  private async runOf(runId: string): Promise<Run> {
    return (await this.server.request<{ run: Run }>("agent/run", { runId })).run;
  }

  private async below(node: TreeNode): Promise<TreeNode[]> {
    const { run, events } = await this.server.request<{ run: Run; events: AgentEvent[] }>("agent/run", { runId: node.id });
    this.events.set(run.id, events);
    return [...runNode(run, events).children];
  }

  private hear(event: AgentEvent): void {
    const { state } = event.data;
    if (event.kind === "state" && typeof state === "string") {
      const changed = (run: Run): Run => (run.id === event.runId ? { ...run, state } : run);
      this.older = this.older.map(changed);
      this.named = this.named.map(changed);
    }
    const known = this.events.get(event.runId);
    if (known !== undefined && known.every(({ seq }) => seq !== event.seq)) {
      known.push(event);
    }
    this.refreshSoon();
  }

  /** Redraw once for many events, so that a run at full work does not make the tree flicker. */
  private refreshSoon(): void {
    if (this.view.visible && this.timer === undefined) {
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.changes.fire(undefined);
      }, 300);
    }
  }
}

/** Return the names of the folders that a run changes, or else is about, where there are others. */
function foldersOf({ proposal, roots }: Run): readonly string[] {
  return someFolders(proposal?.hunks.map(({ uri }) => uri) ?? roots ?? []);
}
