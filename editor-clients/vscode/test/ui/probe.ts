/** Questions to the extension host itself, which a small extension answers that only tests install. */
import { existsSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { CLIENT, type Host } from "./host.ts";
import { until } from "./window.ts";

/** A place in a file of the workspace; line and character count from 0. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly character: number;
}

/** Pack the extension, and return the file to install. */
export async function packProbe(): Promise<string> {
  const packagePath = join(mkdtempSync(join(tmpdir(), "greenline-probe-")), "probe.vsix");
  await createVSIX({ cwd: join(CLIENT, "test/probe"), packagePath, dependencies: false, allowMissingRepository: true, skipLicense: true });
  return packagePath;
}

export class Probe {
  private asked = 0;

  constructor(private readonly host: Host) {}

  /** Return the texts of the hover at a place, of all that VS Code asked. */
  hover(place: Place): Promise<string[]> {
    return this.ask("hover", place);
  }

  /** Return the lenses of a file. */
  lenses(file: string): Promise<{ command: string; arguments: unknown[] }[]> {
    return this.ask("lenses", { file });
  }

  /** Run a command; returns when it has ended. */
  async command(name: string, ...args: unknown[]): Promise<void> {
    await this.ask("command", { name, args }, 300_000);
  }

  /** Return the milliseconds of `n` hovers and as many lists of code actions, each of which must hold a text. */
  sample(n: number, place: Place, wanted: { hover: string; action: string }): Promise<{ hover: number[]; action: number[] }> {
    return this.ask("sample", { n, place, wanted }, 600_000);
  }

  private async ask<T>(kind: string, question: object, limitMs = 60_000): Promise<T> {
    this.asked += 1;
    const ask = join(this.host.probe, `ask-${String(this.asked)}.json`);
    const answer = join(this.host.probe, `answer-${String(this.asked)}.json`);
    writeFileSync(`${ask}.part`, JSON.stringify({ kind, ...question }));
    renameSync(`${ask}.part`, ask);
    await until(`the extension host answers about ${kind}`, () => existsSync(answer), limitMs);
    const value = JSON.parse(readFileSync(answer, "utf8")) as { result: T; error?: string };
    if (value.error !== undefined) {
      throw new Error(value.error);
    }
    return value.result;
  }
}
