import { expect, test } from "vitest";
import { readPlan, renderPlan, saysTheSame, type PlanReading } from "../../src/core/plan-document.ts";
import type { Plan } from "../../src/core/wire.ts";
import { plan } from "./sample.ts";

const RENDERED = renderPlan("make it work", "run-1", plan());

function planOf(reading: PlanReading): Plan {
  if ("problems" in reading) {
    throw new Error(reading.problems.map(({ message }) => message).join());
  }
  return reading.plan;
}

test("a plan shows its request, score, risk, the critic's remarks and ticked entries", () => {
  expect(RENDERED).toContain("# Plan: make it work");
  expect(RENDERED).toContain("score: 7 of 10");
  expect(RENDERED).toContain("Risk: Small.");
  expect(RENDERED).toContain("> The critic: No test for zero.");
  expect(RENDERED).toContain("- [x] 1. Fix the sum\n  - file: calc.py\n  - check: t.py::t\n- [x] 2. Say so");
});

test("a plan that nobody touched reads back as the same plan", () => {
  const read = planOf(readPlan(RENDERED, plan()));

  expect(saysTheSame(read, plan())).toBe(true);
});

test("a plan of the repair engine has no score", () => {
  const { score: _, ...bare } = plan({ engine: "repair" });

  expect(renderPlan("x", "run-1", bare)).toContain("by the repair engine. The critic's score: not judged");
});

test("an entry that is not ticked is left out, and the rest is numbered anew", () => {
  const read = planOf(readPlan(RENDERED.replace("[x] 1.", "[ ] 1."), plan()));

  expect(read.entries).toEqual([{ number: 1, intent: "Say so", files: [], checks: [], status: "pending" }]);
  expect(saysTheSame(read, plan())).toBe(false);
});

test("entries, files, checks and the risk can be edited, added and moved", () => {
  const text = `Risk: Larger.\n- [x] Second thing\n  - check: \`t.py::new\`\n- [X] 1. Fix the sum\n  - file: calc.py\n  - file: more.py\n`;

  const read = planOf(readPlan(text, plan()));

  expect(read.risk).toBe("Larger.");
  expect(read.entries.map(({ number, intent, files, checks }) => [number, intent, files, checks])).toEqual([
    [1, "Second thing", [], ["t.py::new"]],
    [2, "Fix the sum", ["calc.py", "more.py"], []],
  ]);
});

test("details of an entry that is left out go with it", () => {
  const read = planOf(readPlan("- [ ] 1. Out\n  - file: gone.py\n- [x] 2. In\n", plan()));

  expect(read.entries).toHaveLength(1);
  expect(read.entries[0]?.files).toEqual([]);
});

test.each([
  { what: "no entry is ticked", text: "- [ ] 1. Fix\n", line: 0, words: "No entry is ticked" },
  { what: "an entry without words", text: "x\n- [x] \n", line: 1, words: "An entry reads" },
  { what: "a detail of no kind", text: "- [x] 1. Fix\n  - something\n", line: 1, words: "Below an entry" },
])("$what is named with its line", ({ text, line, words }) => {
  const reading = readPlan(text, plan());

  expect("problems" in reading && reading.problems[0]).toMatchObject({ line });
  expect("problems" in reading && reading.problems[0]?.message).toContain(words);
});

test("what stands below an entry that cannot be read is no problem of its own", () => {
  const reading = readPlan(RENDERED.replace("[x] 1.", "[?] 1."), plan());

  expect("problems" in reading && reading.problems).toHaveLength(1);
});

test("a request with line breaks cannot add entries", () => {
  const text = renderPlan("x\n- [x] 9. evil", "run-1", plan());

  expect(planOf(readPlan(text, plan())).entries).toHaveLength(2);
});
