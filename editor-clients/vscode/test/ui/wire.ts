/** A server whose messages are written down: what a window asked and was told, where nothing of it can be seen. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GREENLINE } from "./host.ts";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly position?: { readonly line: number } };
  readonly result?: unknown;
}

export class Wire {
  private readonly folder = mkdtempSync(join(tmpdir(), "greenline-wire-"));
  /** The program to start in the server's place. */
  readonly program = join(this.folder, "greenline");

  constructor() {
    const both = `< <(exec tee -a '${this.file("asked")}') > >(exec tee -a '${this.file("told")}')`;
    const lines = ["#!/bin/bash", `[ "$1" = serve ] || exec '${GREENLINE}' "$@"`, `exec '${GREENLINE}' "$@" ${both}`];
    writeFileSync(this.program, `${lines.join("\n")}\n`);
    chmodSync(this.program, 0o755);
  }

  /** Forget all that was written down. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Return the results of all hovers of a line, from 0, that are answered. */
  hoversOf(line: number): unknown[] {
    const asked = this.messages("asked").filter(({ method, params }) => method === "textDocument/hover" && params?.position?.line === line);
    const ids = new Set(asked.map(({ id }) => id));
    return this.messages("told")
      .filter(({ id, method }) => method === undefined && ids.has(id))
      .map(({ result }) => result);
  }

  private file(name: string): string {
    return join(this.folder, name);
  }

  private messages(name: string): Message[] {
    if (!existsSync(this.file(name))) {
      return [];
    }
    const bytes = readFileSync(this.file(name));
    const found: Message[] = [];
    for (let at = 0; ; ) {
      const end = bytes.indexOf("\r\n\r\n", at);
      const length = Number(/Content-Length: (\d+)/i.exec(bytes.toString("utf8", at, Math.max(end, at)))?.[1] ?? NaN);
      const next = end + 4 + length;
      // The last message may not be whole yet.
      if (end < 0 || !(next <= bytes.length)) {
        return found;
      }
      found.push(JSON.parse(bytes.toString("utf8", end + 4, next)) as Message);
      at = next;
    }
  }
}
