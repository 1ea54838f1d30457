import { expect, test } from "vitest";
import { escape, evidencePage, linesPage } from "../../src/core/evidence-page.ts";
import { evidence, hunk, proposal } from "./sample.ts";

const REPORT = {
  end: "complete",
  runner: "pytest 8 (project)",
  durationS: 1.5,
  tests: [{ id: "t.py::t", outcome: "passed" }, { id: "t.py::u", outcome: "failed" }],
};
const FULL = proposal({
  evidence: evidence({
    base: { ...REPORT, tests: [{ id: "t.py::t", outcome: "failed" }] },
    patched: REPORT,
    engine: "docker 28",
    image: "sha256:0",
    command: ["python", "-m", "pytest"],
    durationS: 3,
    warnings: ["Careful."],
  }),
});

function page(of = FULL): string {
  return evidencePage(of, "NONCE", (uri) => uri.replace("file:///w/", ""));
}

test("the page shows base against patched, coverage, time, image and the command to repeat it", () => {
  const html = page();

  for (const words of ["Base against patched", "executed by 1 test", "sha256:0", "docker 28", "python -m pytest", "3.0 s", "a.py:1", "Careful."]) {
    expect(html).toContain(words);
  }
});

test("nothing may be loaded from anywhere, and only what bears the nonce runs", () => {
  const html = page();

  expect(html).toContain(`content="default-src 'none'; style-src 'nonce-NONCE'; script-src 'nonce-NONCE'"`);
  expect(html).not.toMatch(/https?:|src=|href=|@import|url\(/);
  expect(html.match(/<script/g)).toHaveLength(1);
  expect(html).not.toMatch(/ style=| on\w+=/);
});

test("every colour is the theme's, so that light, dark and high contrast work", () => {
  const style = /<style[^>]*>([\s\S]*)<\/style>/.exec(page())?.[1] ?? "";

  expect(style).not.toMatch(/#[0-9a-f]{3,8}\b|rgb|: *(?:red|green|black|white)\b/i);
});

test("text has the colours that themes make for text, and a changed line the background of a diff", () => {
  const html = page();
  const style = /<style[^>]*>([\s\S]*)<\/style>/.exec(html)?.[1] ?? "";
  const texts = [...style.matchAll(/(?<![\w-])color: var\((--vscode-[\w-]+)/g)].map(([, name]) => name);
  const [lines = ""] = /<pre class="diff">.*<\/pre>/.exec(html) ?? [];

  expect(new Set(texts)).toEqual(new Set(["foreground", "descriptionForeground", "button-foreground", "editor-foreground"].map((name) => `--vscode-${name}`)));
  expect(lines).toBe('<pre class="diff"><span class="bad">-old</span><span class="good">+new</span></pre>');
  expect(style).toMatch(/pre \.good \{ background: var\(--vscode-diffEditor-insertedLineBackground/);
  expect(style).toMatch(/pre \.bad \{ background: var\(--vscode-diffEditor-removedLineBackground/);
});

test("text from tests, files and models stays text", () => {
  const evil = `<img src=x onerror="alert(1)">&'`;
  const html = page(
    proposal({ summary: evil, hunks: [hunk({ before: evil, after: evil, why: evil })], evidence: evidence({ detail: evil, fixed: [evil], warnings: [evil] }) }),
  );

  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;img");
  expect(escape(evil)).toBe("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;");
});

test("many tests are cut, and it is said how many", () => {
  const fixed = Array.from({ length: 250 }, (_, n) => `t.py::t${String(n)}`);

  expect(page(proposal({ evidence: evidence({ fixed }) }))).toContain("and 50 more");
});

test("a proposal that nothing was measured of says so", () => {
  const html = page(proposal({ evidence: evidence({ verdict: "couldNotRun", hunks: [], fixed: [] }) }));

  expect(html).toContain("untested: the tests could not run");
  expect(html).toContain("not measured");
  expect(html).not.toContain("To repeat it by hand");
});

test("lines become a table", () => {
  expect(linesPage("Greenline", ["Sandbox: <docker>", "plain"], "N")).toContain("<tr><th>Sandbox</th><td>&lt;docker&gt;</td></tr>");
});
