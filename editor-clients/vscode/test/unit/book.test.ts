import { expect, test } from "vitest";
import { Book, unmet } from "../../src/core/book.ts";
import { lensesOf } from "../../src/core/lens.ts";
import { evidence, hunk, proposal } from "./sample.ts";

test("a proposal waits until its last hunk is decided", () => {
  const book = new Book();
  book.put(proposal({ hunks: [hunk({ id: "a" }), hunk({ id: "b", uri: "file:///w/b.py" })] }));

  expect(book.count()).toBe(2);
  expect(book.files()).toEqual(["file:///w/a.py", "file:///w/b.py"]);

  const touched = book.put(proposal({ hunks: [hunk({ id: "a", state: "accepted" }), hunk({ id: "b", uri: "file:///w/b.py", state: "rejected" })] }));

  expect(book.count()).toBe(0);
  expect(touched).toEqual(["file:///w/a.py", "file:///w/b.py"]);
});

test("the hunks of a file are in the order of their places, also of several proposals", () => {
  const book = new Book();
  book.put(proposal({ id: "p-1", hunks: [hunk({ id: "low", line: 9 })] }));
  book.put(proposal({ id: "p-2", hunks: [hunk({ id: "high", line: 2 })] }));

  expect(book.of("file:///w/a.py").map(({ hunk: { id } }) => id)).toEqual(["high", "low"]);
  expect(book.at("file:///w/a.py", 9)?.proposal.id).toBe("p-1");
  expect(book.at("file:///w/a.py", 5)).toBeUndefined();
  expect(book.open().map(({ id }) => id)).toEqual(["p-2", "p-1"]);
});

test("only hunks that wait are found by their name", () => {
  const book = new Book();
  book.put(proposal({ hunks: [hunk({ id: "a", state: "accepted" }), hunk({ id: "b" })] }));

  expect(book.find("p-1", "a")).toBeUndefined();
  expect(book.find("p-1", "b")?.hunk.id).toBe("b");
  expect(book.find("p-9", "b")).toBeUndefined();
});

test("after the server's end nothing waits", () => {
  const book = new Book();
  book.put(proposal());

  expect(book.clear()).toEqual(["file:///w/a.py"]);
  expect(book.count()).toBe(0);
});

test("a hunk's lenses are accept, reject, why and the verdict", () => {
  const lenses = lensesOf({ proposal: proposal(), hunk: hunk() });

  expect(lenses.map(({ title }) => title)).toEqual(["✓ Accept", "↩ Reject", "? Why", "$(verified)\u00a0verified"]);
  expect(lenses[0]?.arguments).toEqual([{ proposalId: "p-1", hunkId: "h-1" }]);
});

test("the lens says how many others a hunk needs that still wait", () => {
  const one = proposal({
    hunks: [hunk({ id: "a", needs: ["b", "c"] }), hunk({ id: "b" }), hunk({ id: "c", state: "accepted" })],
  });
  const waiting = { proposal: one, hunk: one.hunks[0] ?? hunk() };

  expect(unmet(waiting)).toEqual(["b"]);
  expect(lensesOf(waiting)[0]?.title).toBe("✓ Accept (needs 1 more)");
});

test("a conflicted hunk cannot be accepted", () => {
  const titles = lensesOf({ proposal: proposal(), hunk: hunk({ state: "conflicted" }) }).map(({ title }) => title);

  expect(titles.join()).not.toContain("Accept");
  expect(titles[0]).toContain("conflicted");
});

test("what is not verified is labelled as what it is", () => {
  const doubtful = proposal({ evidence: evidence({ verdict: "notCovered", touchesTests: true, currency: "partial" }) });

  const verdict = lensesOf({ proposal: doubtful, hunk: hunk() }).at(-1)?.title;

  expect(verdict).toContain("not covered by a test · touches tests · partial");
});

test("what a part of the tests verified says how many ran, and has no mark of the whole", () => {
  const partly = proposal({ evidence: evidence({ verdict: "verified", selection: { nSelected: 3, nTests: 40 } }) });

  const verdict = lensesOf({ proposal: partly, hunk: hunk() }).at(-1)?.title;

  expect(verdict).toContain("$(warning)");
  expect(verdict).toContain("verified · 3 of 40 tests ran");
});

test("hunks of a folder that is closed are kept and not shown; a proposal that is elsewhere is forgotten", () => {
  const closed = new Set<string>();
  const book = new Book((uri) => ![...closed].some((folder) => uri.startsWith(folder)));
  const [here, there] = [hunk({ id: "h-1", uri: "file:///a/x.py" }), hunk({ id: "h-2", uri: "file:///b/y.py" })];
  book.put(proposal({ id: "p-both", hunks: [here, there] }));
  book.put(proposal({ id: "p-there", hunks: [{ ...there, id: "h-3" }] }));

  closed.add("file:///b/");
  book.forgetElsewhere();
  expect(book.files()).toEqual(["file:///a/x.py"]);
  expect(book.count()).toBe(1);
  closed.clear();

  expect(book.files()).toEqual(["file:///a/x.py", "file:///b/y.py"]);
  expect(book.open().map(({ id }) => id)).toEqual(["p-both"]);
});
