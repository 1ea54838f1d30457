/** The findings of `greenline doctor --json` as Markdown. Pure. */

export interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  readonly remedy?: string;
  readonly optional?: boolean;
}

/** Read what the program printed; what is no list of findings becomes one that says so. */
export function readFindings(output: string): Finding[] {
  try {
    const value: unknown = JSON.parse(output.split("\n").find((line) => line.startsWith("[")) ?? output);
    if (Array.isArray(value)) {
      return value as Finding[];
    }
  } catch {
    // Falls through: the words themselves are what there is to say.
  }
  return [{ name: "doctor", ok: false, detail: output || "it printed nothing", remedy: "See the log (Agent: show the log)." }];
}

const STATE_WORDS: Readonly<Record<string, string>> = { untrusted: "waiting for your trust", missing: "not installed" };

/** Return the findings as a document. */
export function doctorMarkdown(state: string, program: string, findings: readonly Finding[]): string {
  const lines = ["# Greenline: doctor", "", `The server is ${STATE_WORDS[state] ?? state}. Program: ${program === "" ? "none" : code(program)}`, ""];
  for (const finding of findings) {
    const mark = finding.ok ? "✓" : finding.optional === true ? "–" : "✗";
    lines.push(`- ${mark} **${finding.name}**: ${code(finding.detail)}`);
    if (!finding.ok && finding.remedy) {
      lines.push(`  - ${code(finding.remedy)}`);
    }
  }
  return [...lines, ""].join("\n");
}

function code(text: string): string {
  const line = text.split(/\s+/).join(" ");
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${fence} ${line} ${fence}`;
}
