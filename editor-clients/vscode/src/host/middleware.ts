/** What the client shows itself is taken out of the server's plain-LSP answers, and hover gets its links. */
import * as vscode from "vscode";
import { CancellationToken, type ApplyWorkspaceEditParams, type Middleware } from "vscode-languageclient/node";
import type { ExplainResult } from "../core/wire";
import type { Pages } from "./pages";

/** Return the middleware; `pages` is asked for when something is to be shown. */
export function middleware(
  pages: () => Pages,
  links: (file: vscode.Uri, position: vscode.Position) => Promise<vscode.MarkdownString[]>,
): Middleware {
  return {
    // The client draws lenses of its own, with the verdict and the way to the evidence.
    provideCodeLenses: () => [],
    handleDiagnostics: (uri, diagnostics, next) => {
      next(uri, diagnostics.filter(({ source, code }) => source !== "greenline" || code !== "pendingHunk"));
    },
    provideHover: async (document, position, token, next) => {
      const hover = await next(document, position, token);
      const more = hover ? await links(document.uri, position) : [];
      return hover && more.length > 0 ? new vscode.Hover([...hover.contents, ...more], hover.range) : hover;
    },
    workspace: {
      handleApplyEdit: async (params, next) => {
        const result = await next(params, CancellationToken.None);
        if ("applied" in result && result.applied) {
          // After the answer: what a formatter does at a save comes later than what was accepted.
          setTimeout(() => void saveCreated(params), 0);
        }
        return result;
      },
    },
    executeCommand: async (command, args, next) => {
      const result: unknown = await next(command, args);
      if (command === "greenline.server.explain" && isExplanation(result)) {
        await pages().note("explanation", result.markdown);
      }
      return result;
    },
  };
}

function isExplanation(value: unknown): value is ExplainResult {
  return typeof value === "object" && value !== null && "markdown" in value;
}

/** Save the files that an edit made: VS Code makes them empty, and would keep their text in the editor alone. */
async function saveCreated({ edit }: ApplyWorkspaceEditParams): Promise<void> {
  const changes = edit.documentChanges ?? [];
  const made = new Set(changes.flatMap((change) => ("kind" in change && change.kind === "create" ? [vscode.Uri.parse(change.uri, true).toString()] : [])));
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && made.has(document.uri.toString())) {
      await document.save();
    }
  }
}
