/** The tree of runs in the side bar; asks the server when it is opened and hears events afterwards. */
import * as vscode from "vscode";
import { runNode, type TreeNode } from "../core/tree";
import type { AgentEvent, Run } from "../core/wire";
import type { Server } from "./server";

const LIMIT = 50;

export class RunView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<TreeNode | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
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
    const { runs } = await this.server.request<{ runs: Run[] }>("agent/runs", { limit: LIMIT });
    return runs.map((run) => runNode(run, this.events.get(run.id) ?? []));
  }

  /** Open a run in the tree, the newest without a name. */
  async show(runId?: string): Promise<void> {
    const { runs } = await this.server.request<{ runs: Run[] }>("agent/runs", { limit: LIMIT });
    const run = runId === undefined ? runs[0] : runs.find(({ id }) => id === runId);
    if (run === undefined) {
      void vscode.window.showInformationMessage("Greenline: there is no run yet.");
      return;
    }
    this.opened.set(run.id, (this.opened.get(run.id) ?? 0) + 1);
    this.changes.fire(undefined);
    await vscode.commands.executeCommand("greenline.runs.focus");
  }

  private async below(node: TreeNode): Promise<TreeNode[]> {
    const { run, events } = await this.server.request<{ run: Run; events: AgentEvent[] }>("agent/run", { runId: node.id });
    this.events.set(run.id, events);
    return [...runNode(run, events).children];
  }

  private hear(event: AgentEvent): void {
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
