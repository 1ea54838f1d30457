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
  private readonly parents = new Map<string, TreeNode>();
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
    const state = isRun || node.children.length > 0 ? (node.open ? Expanded : Collapsed) : None;
    const item = new vscode.TreeItem(node.label, state);
    item.id = node.id;
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
      const children = node.context.startsWith("run.") ? await this.below(node) : [...node.children];
      children.forEach((child) => this.parents.set(child.id, node));
      return children;
    }
    if (this.server.state !== "running") {
      return [];
    }
    const { runs } = await this.server.request<{ runs: Run[] }>("agent/runs", { limit: LIMIT });
    return runs.map((run) => runNode(run, this.events.get(run.id) ?? []));
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.parents.get(node.id);
  }

  /** Open a run in the tree, the newest without a name. */
  async show(runId?: string): Promise<void> {
    await vscode.commands.executeCommand("greenline.runs.focus");
    const nodes = await this.getChildren();
    const node = runId === undefined ? nodes[0] : nodes.find((each) => each.id === runId);
    if (node === undefined) {
      void vscode.window.showInformationMessage("Greenline: there is no run yet.");
      return;
    }
    await this.view.reveal(node, { expand: 3, select: true, focus: true });
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
