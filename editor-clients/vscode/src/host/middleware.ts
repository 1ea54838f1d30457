/** What the client shows itself is taken out of the server's plain-LSP answers, and hover gets its links. */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
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
