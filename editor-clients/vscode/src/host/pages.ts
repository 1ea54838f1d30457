/** The evidence and the status as webviews, and explanations as Markdown documents. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { evidencePage, linesPage } from "../core/evidence-page";
import { statusLines } from "../core/status";
import type { Proposal, Run, Status } from "../core/wire";
import { whereOf } from "./folders";
import type { Review } from "./review";
import type { Server } from "./server";

/** Scheme of documents that only explain. */
export const NOTE = "greenline-note";

export class Pages implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly notes = new Map<string, string>();
  private readonly parts: vscode.Disposable[];
  private evidence: { panel: vscode.WebviewPanel; proposalId: string; command: string } | undefined;
  private status: vscode.WebviewPanel | undefined;

  constructor(
    private readonly server: Server,
    private readonly review: Review,
  ) {
    this.parts = [
      this.changes,
      vscode.workspace.registerTextDocumentContentProvider(NOTE, this),
      server.onProposal((proposal) => {
        if (proposal.id === this.evidence?.proposalId) {
          this.draw(proposal);
        }
      }),
      server.onStatus((status) => {
        this.drawStatus(status);
      }),
    ];
  }

  dispose(): void {
    this.parts.forEach((part) => {
      part.dispose();
    });
    this.evidence?.panel.dispose();
    this.status?.dispose();
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.notes.get(uri.path) ?? "";
  }

  /** Show Markdown beside the editor, rendered; what it says is untrusted and stays text. */
  async note(name: string, markdown: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: NOTE, path: `/${name}.md` });
    this.notes.set(uri.path, markdown);
    this.changes.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  /** Show the evidence of a proposal, or of the newest one that waits. */
  async showEvidence(reference: { proposalId?: string; runId?: string } | undefined): Promise<void> {
    const proposal = await this.proposalOf(reference);
    if (proposal === undefined) {
      void vscode.window.showInformationMessage("Greenline: there is no evidence yet.");
      return;
    }
    if (this.evidence === undefined) {
      const panel = panelOf("greenline.evidence", "Evidence");
      panel.onDidDispose(() => {
        this.evidence = undefined;
      });
      panel.webview.onDidReceiveMessage((message: { say?: string }) => {
        void this.said(message.say);
      });
      this.evidence = { panel, proposalId: proposal.id, command: "" };
    } else {
      this.evidence.panel.reveal(undefined, true);
    }
    this.draw(proposal);
  }

  /** Show the status of the server and its parts. */
  async showStatus(): Promise<void> {
    const status = await this.server.request<Status>("agent/status", {});
    if (this.status === undefined) {
      this.status = panelOf("greenline.status", "Greenline");
      this.status.onDidDispose(() => {
        this.status = undefined;
      });
    } else {
      this.status.reveal(undefined, true);
    }
    this.drawStatus(status);
  }

  private async proposalOf(reference: { proposalId?: string; runId?: string } | undefined): Promise<Proposal | undefined> {
    const known = reference?.proposalId === undefined ? this.review.book.open()[0] : this.review.book.get(reference.proposalId);
    if (known !== undefined) {
      return known;
    }
    if (reference?.runId !== undefined) {
      return (await this.server.request<{ run: Run }>("agent/run", { runId: reference.runId })).run.proposal;
    }
    const { runs } = await this.server.request<{ runs: Run[] }>("agent/runs", { limit: 20 });
    return runs.find((run) => run.proposal !== undefined)?.proposal;
  }

  private draw(proposal: Proposal): void {
    if (this.evidence !== undefined) {
      this.evidence.proposalId = proposal.id;
      this.evidence.command = (proposal.evidence.command ?? []).join(" ");
      this.evidence.panel.webview.html = evidencePage(proposal, nonce(), (uri) =>
        vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)),
      );
    }
  }

  private drawStatus(status: Status): void {
    if (this.status !== undefined) {
      this.status.webview.html = linesPage("Greenline", [...statusLines(status, whereOf(this.review.book)), `Server: ${this.server.command}`], nonce());
    }
  }

  private async said(word: string | undefined): Promise<void> {
    if (this.evidence === undefined) {
      return;
    }
    if (word === "copyCommand") {
      await vscode.env.clipboard.writeText(this.evidence.command);
    } else if (word === "verify") {
      await vscode.commands.executeCommand("greenline.verify", { proposalId: this.evidence.proposalId });
    }
  }
}

function panelOf(id: string, title: string): vscode.WebviewPanel {
  const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
  // No folder may be read from, so that nothing but the page itself is ever loaded.
  return vscode.window.createWebviewPanel(id, title, column, { enableScripts: true, localResourceRoots: [] });
}

function nonce(): string {
  return randomBytes(18).toString("base64url");
}
