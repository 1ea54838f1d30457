/** What the client shows itself is taken out of the server's plain-LSP answers, and hover gets its links. */
import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient/node";
import type { ExplainResult } from "../core/wire";
import { NOTE, type Pages } from "./pages";

/** Commands that links in a hover may run; the text around them is the server's and stays untrusted. */
const LINKS = ["greenline.showEvidence", "greenline.showRun"];

/** Return the middleware; `pages` is asked for when something is to be shown. */
export function middleware(pages: () => Pages, links: (document: vscode.TextDocument, line: number) => string): Middleware {
  return {
    // The client draws lenses of its own, with the verdict and the way to the evidence.
    provideCodeLenses: () => [],
    handleDiagnostics: (uri, diagnostics, next) => {
      next(uri, diagnostics.filter(({ source, code }) => source !== "greenline" || code !== "pendingHunk"));
    },
    provideHover: async (document, position, token, next) => {
      if (document.uri.scheme === NOTE) {
        return undefined;
      }
      const hover = await next(document, position, token);
      const markdown = links(document, position.line);
      if (hover && markdown !== "") {
        const text = new vscode.MarkdownString(markdown, true);
        text.isTrusted = { enabledCommands: LINKS };
        return new vscode.Hover([...hover.contents, text], hover.range);
      }
      return hover;
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
