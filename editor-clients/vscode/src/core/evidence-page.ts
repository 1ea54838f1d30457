/** The evidence view as HTML: no script but the one of its nonce, nothing from anywhere else. Pure. */
import { splitLines } from "./text";
import { verdictWords } from "./verdict";
import type { Evidence, Hunk, Proposal, TestReport } from "./wire";

const MAX_TESTS = 200;
const STYLE = `
body { color: var(--vscode-foreground); background: var(--vscode-editor-background);
  font-family: var(--vscode-font-family); font-size: var(--vscode-font-size); padding: 0 1.5em 2em; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 1.6em; }
code, pre { font-family: var(--vscode-editor-font-family); overflow-wrap: anywhere; }
pre { background: var(--vscode-textCodeBlock-background); padding: .6em .8em; overflow-x: auto;
  border: 1px solid var(--vscode-contrastBorder, transparent); }
table { border-collapse: collapse; } th, td { text-align: left; padding: .2em 1em .2em 0; vertical-align: top; }
td.n, th.n { text-align: right; }
tr + tr td { border-top: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); }
.verdict, .warning, pre span { border-left: 4px solid currentColor; padding-left: .6em; }
.verdict { display: inline-block; border: 1px solid; border-left-width: 4px; border-radius: 3px; padding: .1em .7em; }
pre span { display: block; min-height: 1lh; }
.plain { color: var(--vscode-descriptionForeground); }
/* Themes make these colours for signs: as text, some are hardly to be read. */
.verdict.good, pre .good { border-color: var(--vscode-testing-iconPassed, var(--vscode-foreground)); }
.verdict.bad, pre .bad, .warning { border-color: var(--vscode-testing-iconFailed, var(--vscode-foreground)); }
pre.diff { background: none; color: var(--vscode-editor-foreground); padding: 0;
  border: 1px solid var(--vscode-widget-border, var(--vscode-contrastBorder, transparent)); }
pre .good { background: var(--vscode-diffEditor-insertedLineBackground, var(--vscode-diffEditor-insertedTextBackground, none)); }
pre .bad { background: var(--vscode-diffEditor-removedLineBackground, var(--vscode-diffEditor-removedTextBackground, none)); }
button { color: var(--vscode-button-foreground); background: var(--vscode-button-background); font: inherit;
  border: 1px solid var(--vscode-button-border, transparent); padding: .2em 1em; cursor: pointer; }
button:focus-visible { outline: 1px solid var(--vscode-focusBorder); }
`;

/** Return the whole page for one proposal; `nonce` is fresh for each. */
export function evidencePage(proposal: Proposal, nonce: string, relative: (uri: string) => string): string {
  const evidence = proposal.evidence;
  const body = [
    `<h1>${escape(proposal.summary || "Proposed change")}</h1>`,
    `<p><span class="verdict ${tone(evidence)}">${escape(verdictWords(evidence))}</span></p>`,
    `<p>${escape(evidence.detail)}</p>`,
    ...evidence.warnings.map((warning) => `<p class="warning">${escape(warning)}</p>`),
    comparison(evidence),
    tests("Fixed", evidence.fixed),
    tests("Lost", evidence.lost),
    tests("Gone or renamed", evidence.missing ?? []),
    tests("Flaky", evidence.flaky ?? []),
    hunks(proposal, relative),
    circumstances(evidence),
  ];
  return page("Evidence", body.join("\n"), nonce);
}

/** Return a page of lines, for the status. */
export function linesPage(title: string, lines: readonly string[], nonce: string): string {
  const rows = lines.map((line) => {
    const at = line.indexOf(": ");
    return at < 0
      ? `<tr><td colspan="2">${escape(line)}</td></tr>`
      : `<tr><th>${escape(line.slice(0, at))}</th><td>${escape(line.slice(at + 2))}</td></tr>`;
  });
  return page(title, `<h1>${escape(title)}</h1><table>${rows.join("\n")}</table>`, nonce);
}

function page(title: string, body: string, nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escape(title)}</title><style nonce="${nonce}">${STYLE}</style></head>
<body>${body}
<script nonce="${nonce}">
const vscode = acquireVsCodeApi();
for (const button of document.querySelectorAll("button[data-say]")) {
  button.addEventListener("click", () => vscode.postMessage({ say: button.dataset.say }));
}
</script></body></html>`;
}

function comparison(evidence: Evidence): string {
  const rows = ([["base", evidence.base], ["patched", evidence.patched]] as const).flatMap(([name, report]) =>
    report === undefined ? [] : [reportRow(name, report)],
  );
  if (rows.length === 0) {
    return "";
  }
  const heads = ["passed", "failed", "errors", "skipped", "seconds"].map((head) => `<th class="n">${head}</th>`);
  return `<h2>Base against patched</h2><table><tr><th>run</th>${heads.join("")}<th>end</th></tr>${rows.join("")}</table>`;
}

function reportRow(name: string, report: TestReport): string {
  const counts = ["passed", "failed", "error", "skipped"].map(
    (outcome) => `<td class="n">${String(report.tests.filter((test) => test.outcome === outcome).length)}</td>`,
  );
  const seconds = (report.durationS ?? 0).toFixed(2);
  return `<tr><td>${name}</td>${counts.join("")}<td class="n">${seconds}</td><td>${escape(report.end)}</td></tr>`;
}

function tests(title: string, ids: readonly string[]): string {
  if (ids.length === 0) {
    return "";
  }
  const shown = ids.slice(0, MAX_TESTS).map((id) => `<li><code>${escape(id)}</code></li>`);
  const more = ids.length > MAX_TESTS ? `<p class="plain">and ${String(ids.length - MAX_TESTS)} more</p>` : "";
  return `<h2>${title}</h2><ul>${shown.join("")}</ul>${more}`;
}

function hunks(proposal: Proposal, relative: (uri: string) => string): string {
  const of = new Map(proposal.evidence.hunks.map((each) => [each.hunkId, each]));
  const items = proposal.hunks.map((hunk) => {
    const coverage = of.get(hunk.id);
    const words = coverageWords(coverage?.coverage, coverage?.tests?.length ?? 0);
    const place = `${relative(hunk.uri)}:${String(hunk.range.start.line + 1)}`;
    return `<h3><code>${escape(place)}</code> <span class="plain">${escape(hunk.state)} · ${escape(words)}</span></h3>
<pre class="diff">${diff(hunk)}</pre>${hunk.why ? `<p>${escape(hunk.why)}</p>` : ""}`;
  });
  return `<h2>Changed lines</h2>${items.join("\n")}`;
}

function coverageWords(coverage: string | undefined, nTests: number): string {
  switch (coverage) {
    case "covered":
      return nTests === 1 ? "executed by 1 test" : `executed by ${String(nTests)} tests`;
    case "notCovered":
      return "no test executes these lines";
    case "notApplicable":
      return "nothing to execute";
    default:
      return "not measured";
  }
}

function diff(hunk: Hunk): string {
  const side = (text: string, sign: string, kind: string): string[] =>
    splitLines(text).map((line) => `<span class="${kind}">${sign}${escape(line.replace(/[\r\n]+$/, ""))}</span>`);
  return [...side(hunk.before, "-", "bad"), ...side(hunk.after, "+", "good")].join("");
}

function circumstances(evidence: Evidence): string {
  const rows = [
    ["Engine", evidence.engine],
    ["Image", evidence.image],
    ["Toolchain", evidence.toolchain],
    ["Runner", evidence.patched?.runner ?? evidence.base?.runner],
    ["Time", evidence.durationS === undefined ? undefined : `${evidence.durationS.toFixed(1)} s`],
  ].flatMap(([name, value]) => (value ? [`<tr><th>${name ?? ""}</th><td><code>${escape(value)}</code></td></tr>`] : []));
  const command = evidence.command ?? [];
  const repeat =
    command.length === 0
      ? ""
      : `<h2>To repeat it by hand</h2><pre>${escape(command.join(" "))}</pre>
<p><button data-say="copyCommand">Copy the command</button> <button data-say="verify">Verify again</button></p>`;
  return `<h2>Where it was measured</h2><table>${rows.join("")}</table>${repeat}`;
}

function tone(evidence: Evidence): string {
  if (evidence.verdict === "verified") {
    return evidence.selection ? "plain" : "good";
  }
  const verdict = evidence.verdict;
  return verdict === "regressed" || verdict === "stillFailing" ? "bad" : "plain";
}

/** Return text that HTML shows as it is. */
export function escape(text: string): string {
  const marks: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (mark) => marks[mark] ?? mark);
}
