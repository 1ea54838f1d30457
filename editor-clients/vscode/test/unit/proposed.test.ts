import { expect, test } from "vitest";
import { neighbour, preview, proposedText, touches } from "../../src/core/proposed.ts";
import { hunk } from "./sample.ts";

test("hunks are put in from top to bottom, and their places follow one another", () => {
  const made = proposedText("a\nold\nb\nold\nc\n", [
    hunk({ id: "low", line: 3, after: "new\n" }),
    hunk({ id: "high", line: 1, after: "one\ntwo\n" }),
  ]);

  expect(made.text).toBe("a\none\ntwo\nb\nnew\nc\n");
  expect(made.placed.map(({ hunk: { id }, proposedStart, proposedEnd }) => [id, proposedStart, proposedEnd])).toEqual([
    ["high", 1, 3],
    ["low", 4, 5],
  ]);
});

test("a hunk that the buffer does not hold stays out, and the others go in", () => {
  const made = proposedText("a\nchanged by hand\nold\n", [hunk({ id: "gone", line: 1 }), hunk({ id: "there", line: 2 })]);

  expect(made.text).toBe("a\nchanged by hand\nnew\n");
  expect(made.skipped.map(({ id }) => id)).toEqual(["gone"]);
});

test("a hunk that overlaps an earlier one stays out", () => {
  const made = proposedText("old\nold\n", [
    hunk({ id: "both", line: 0, end: 2, before: "old\nold\n", after: "x\n" }),
    hunk({ id: "second", line: 1 }),
  ]);

  expect(made.text).toBe("x\n");
  expect(made.skipped.map(({ id }) => id)).toEqual(["second"]);
});

test("the line ends are those of the buffer", () => {
  const made = proposedText("a\r\nold\r\n", [hunk({ line: 1, before: "old\r\n", after: "new\nmore\n" })]);

  expect(made.text).toBe("a\r\nnew\r\nmore\r\n");
});

test("an insertion at the end of a text without a last line end", () => {
  const made = proposedText("a\nold", [hunk({ line: 1, before: "old", after: "new" })]);

  expect(made.text).toBe("a\nnew");
});

test.each([
  { what: "an insertion into an empty file", buffer: "", at: 0, expected: "new\n" },
  { what: "an insertion behind the last line", buffer: "a\n", at: 1, expected: "a\nnew\n" },
])("$what", ({ buffer, at, expected }) => {
  expect(proposedText(buffer, [hunk({ line: at, end: at, before: "" })]).text).toBe(expected);
});

test("a form feed ends no line, as in LSP", () => {
  expect(proposedText("a\fb\nold\n", [hunk({ line: 1 })]).text).toBe("a\fb\nnew\n");
});

test("a hunk touches the lines that it replaces and no other", () => {
  const two = hunk({ line: 3, end: 5 });

  expect([2, 3, 4, 5].map((line) => touches(two, line))).toEqual([false, true, true, false]);
  expect(touches(hunk({ line: 3, end: 3 }), 3)).toBe(true);
});

test("the way from hunk to hunk goes around the end", () => {
  const places = [{ start: 2 }, { start: 8 }];

  expect(neighbour(places, 2, "next")).toEqual({ start: 8 });
  expect(neighbour(places, 8, "next")).toEqual({ start: 2 });
  expect(neighbour(places, 8, "previous")).toEqual({ start: 2 });
  expect(neighbour(places, 1, "previous")).toEqual({ start: 8 });
  expect(neighbour<{ start: number }>([], 1, "next")).toBeUndefined();
});

test("what stands beside a line is short, on one line, and says a removal", () => {
  expect(preview(hunk({ after: "  x = 1\n\n  y = 2\n" }))).toBe("⟶ x = 1 ⏎ y = 2");
  expect(preview(hunk({ after: "" }))).toBe("⟶ (removed)");
  expect(preview(hunk({ after: "z".repeat(500) })).length).toBeLessThan(130);
});
