import { expect, test } from "vitest";
import { doctorMarkdown, readFindings } from "../../src/core/doctor.ts";
import { failureWords, isAboutModel } from "../../src/core/failure.ts";
import { imageOf, MAX_IMAGE_BYTES, MAX_IMAGES, sizeProblem } from "../../src/core/image.ts";
import { contextOf, isServed, isSomething, promptWithout, promptWords, selectionWords } from "../../src/core/place.ts";
import { answerTitles, decisionOf, openQuestions, questionOf } from "../../src/core/question.ts";
import { rereadSentence } from "../../src/core/reread.ts";
import { MAX_RESTARTS, RestartPolicy, WINDOW_MS } from "../../src/core/restart.ts";
import { initializationOptions, serverEnvironment, type Settings } from "../../src/core/settings.ts";
import { oneLine, splitLines } from "../../src/core/text.ts";
import { measuredSentence, outcomeSentence } from "../../src/core/verdict.ts";
import type { AgentEvent } from "../../src/core/wire.ts";
import { proposal } from "./sample.ts";

const SETTINGS: Settings = {
  model: "", apiBase: "", budgetUsd: null, repairSeconds: null, maxIterations: null,
  index: true, warmWorker: true, logLevel: "info", environment: {},
};
const RANGE = { start: { line: 2, character: 0 }, end: { line: 4, character: 0 } };

test("a server that ends again and again is not started for ever", () => {
  const policy = new RestartPolicy();
  const decisions = Array.from({ length: MAX_RESTARTS + 1 }, (_, n) => policy.ended(n * 1000).restart);

  expect(decisions).toEqual([...Array<boolean>(MAX_RESTARTS).fill(true), false]);
});

test("ends long ago do not count, and a start by hand forgets them", () => {
  const policy = new RestartPolicy();
  for (let n = 0; n < 10; n += 1) {
    expect(policy.ended(n * WINDOW_MS).restart).toBe(true);
  }
  for (let n = 0; n < 10; n += 1) {
    policy.reset();
    expect(policy.ended(0).restart).toBe(true);
  }
});

test("the server's environment is the editor's, then the user's, then the model's", () => {
  const settings = { ...SETTINGS, model: "m", apiBase: "http://127.0.0.1:1", budgetUsd: 0.5, environment: { A: "2", DOCKER_HOST: "d" } };

  expect(serverEnvironment({ A: "1", B: "1", C: undefined }, settings, "key")).toEqual({
    A: "2", B: "1", DOCKER_HOST: "d", GREENLINE_MODEL: "m", GREENLINE_API_BASE: "http://127.0.0.1:1",
    GREENLINE_API_KEY: "key", GREENLINE_BUDGET_USD: "0.5",
  });
  expect(serverEnvironment({ GREENLINE_MODEL: "own" }, SETTINGS, undefined)).toEqual({ GREENLINE_MODEL: "own" });
});

test("what names a model or weakens safety is no initialization option", () => {
  const options = initializationOptions({ ...SETTINGS, model: "m", apiBase: "a", budgetUsd: 1, repairSeconds: 5, maxIterations: 2 });

  expect(options).toEqual({ agentUi: true, index: true, warmWorker: true, logLevel: "info", repairS: 5, maxIterations: 2 });
});

test.each([
  { uri: { scheme: "file", authority: "" }, served: true, where: "a local file, or one on the other side of SSH, WSL or a container" },
  { uri: { scheme: "file", authority: "server" }, served: false, where: "a share of another machine" },
  { uri: { scheme: "vscode-remote", authority: "ssh-remote+h" }, served: false, where: "a remote file seen from this side" },
  { uri: { scheme: "vscode-vfs", authority: "github" }, served: false, where: "a virtual workspace" },
  { uri: { scheme: "untitled", authority: "" }, served: false, where: "a file that was never saved" },
])("$where: $served", ({ uri, served }) => {
  expect(isServed(uri)).toBe(served);
});

test("a request carries what is attached to it and no more", () => {
  const pointed = { uri: "file:///w/a.py", selection: RANGE, diagnostics: ["bad name"] };

  expect(contextOf(pointed, ["selection"])).toEqual({ textDocument: { uri: pointed.uri }, range: RANGE });
  expect(contextOf(pointed, ["file", "diagnostics"])).toEqual({ textDocument: { uri: pointed.uri }, diagnostics: ["bad name"] });
  expect(contextOf(pointed, [])).toBeUndefined();
  expect(contextOf(undefined, ["file"])).toBeUndefined();
});

test("images go with a request about a place, and with one about none", () => {
  const pointed = { uri: "file:///w/a.py", selection: RANGE, diagnostics: [] };
  const images = [{ name: "a.png", data: "iVBORw0KGgo=" }];

  expect(contextOf(undefined, [], images)).toEqual({ attachments: images });
  expect(contextOf(pointed, [], images)).toEqual({ attachments: images });
  expect(contextOf(pointed, ["file"], images)).toEqual({ textDocument: { uri: pointed.uri }, attachments: images });
});

test("the prompt tells what is attached", () => {
  const pointed = { uri: "file:///w/a.py", selection: RANGE, diagnostics: ["bad name", "bad type"] };
  const images = ["a.png", "b.gif"].map((name) => ({ name, data: "" }));

  expect(promptWords("What?", "a.py", undefined, ["file"], [])).toBe("What?");
  expect(promptWords("What?", "a.py", pointed, [], [])).toBe("What?");
  expect(promptWords("What?", "a.py", pointed, ["file"], [])).toBe("What? (about a.py)");
  expect(promptWords("What?", "a.py", pointed, ["selection", "diagnostics"], [])).toBe("What? (about a.py:3–4, 2 problem(s))");
  expect(promptWords("What?", "a.py", pointed, ["file"], images)).toBe("What? (about a.py; with a.png, b.gif)");
  expect(promptWords("What?", "", undefined, [], images)).toBe("What? (with a.png, b.gif)");
});

test.each([
  [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "iVBORw0KGgo="],
  [[0xff, 0xd8, 0xff, 0xe0], "/9j/4A=="],
  [[...Buffer.from("GIF89a")], "R0lGODlh"],
  [[...Buffer.from("RIFF\x01\x02\x03\x04WEBPVP8 ")], "UklGRgECAwRXRUJQVlA4IA=="],
])("an image is known by its first bytes (%#)", (bytes, data) => {
  expect(imageOf("a.txt", Uint8Array.from(bytes))).toEqual({ name: "a.txt", data });
});

test.each(["", "\x89PNG", "RIFF1234WAVE", "<svg/>"])("what holds no image is refused, whatever its name: %j", (text) => {
  expect(imageOf("a.png", Buffer.from(text, "latin1"))).toBe(
    "a.png was not attached: it holds no image. Attach a PNG, JPEG, GIF or WebP file.",
  );
});

test("an image that is too large, or one too many, is refused before it is read", () => {
  expect(sizeProblem("a.png", MAX_IMAGE_BYTES, MAX_IMAGES - 1)).toBeUndefined();
  expect(sizeProblem("a.png", MAX_IMAGE_BYTES + 1, 0)).toBe("a.png was not attached: it is larger than 4 MiB. Make it smaller.");
  expect(sizeProblem("a.png", 1, MAX_IMAGES)).toBe("a.png was not attached: 4 images are the most.");
});

test("a selection is said with lines from 1, and not with one that it only ends before", () => {
  expect(selectionWords("a.py", RANGE)).toBe("a.py:3–4");
  expect(selectionWords("a.py", { start: RANGE.start, end: { line: 2, character: 5 } })).toBe("a.py:3");
  expect(isSomething({ start: RANGE.start, end: RANGE.start })).toBe(false);
  expect(isSomething(RANGE)).toBe(true);
});

test("an error is what happened and what to do; a cancelled request is no error", () => {
  expect(failureWords({ message: "No model.", data: { remedy: "Name one." } })).toBe("No model. Name one.");
  expect(failureWords({ message: "No model. Name one.", data: { remedy: "Name one." } })).toBe("No model. Name one.");
  expect(failureWords({ code: -32800, message: "x" })).toBeUndefined();
  expect(failureWords({ message: "x", data: { code: "cancelled" } })).toBeUndefined();
  expect(failureWords({ message: "The agent's process ended.", data: { code: "workerDied", remedy: "Ask again." } })).toBeUndefined();
  expect(failureWords({ code: -32097, message: "Pending response rejected since connection got disposed" })).toBeUndefined();
  expect(failureWords(new Error("gone"))).toBe("gone");
  expect(failureWords("words")).toBe("words");
});

test("a remedy names things as they are in VS Code, and says which errors another model mends", () => {
  const failed = (remedy: string, code = "modelFailed"): object => ({ message: "It failed.", data: { code, remedy } });

  expect(failureWords(failed("Check GREENLINE_API_KEY."))).toBe("It failed. Check the key that “Agent: select model…” asks for.");
  expect(failureWords(failed("Check that it runs, and GREENLINE_MODEL and GREENLINE_API_BASE."))).toBe(
    "It failed. Check that it runs, and the setting greenline.model and the setting greenline.apiBase.",
  );
  expect(outcomeSentence(undefined, "failed", "Check GREENLINE_API_KEY.")).not.toContain("GREENLINE_");
  expect([failed("", "noModel"), failed(""), failed("", "notFound"), new Error("gone"), undefined].map(isAboutModel)).toEqual([
    true, true, false, false, false,
  ]);
});

test("a prompt says that a document which was never saved cannot go along", () => {
  expect(promptWithout("What?", "Untitled-1")).toBe("What? (without Untitled-1, which was never saved)");
  expect(promptWithout("What?", undefined)).toBe("What?");
});

function asked(data: Record<string, unknown>): AgentEvent {
  return { runId: "run-1", seq: 1, time: 0, kind: "checkpoint", data };
}

test("a question is found in the event that a run waits with, and in no other", () => {
  const question = { id: "q-1", text: "Which?", options: ["left", "right"], kind: "question" };

  expect(questionOf(asked({ question, waiting: true }))).toEqual(question);
  expect(questionOf(asked({ question, waiting: false }))).toBeUndefined();
  expect(questionOf(asked({ checkpointId: "cp-1", change: "x" }))).toBeUndefined();
  expect(questionOf({ ...asked({ question, waiting: true }), kind: "thought" })).toBeUndefined();
});

test("a question is open until it is answered", () => {
  const question = { id: "q-1", text: "Which?", options: [], kind: "question" };
  const events = [asked({ checkpointId: "q-1", question, waiting: true }), asked({ checkpointId: "q-2", question: { ...question, id: "q-2" }, waiting: false })];

  expect(openQuestions(events).map(({ id }) => id)).toEqual(["q-1", "q-2"]);
  expect(openQuestions([...events, asked({ checkpointId: "q-1", decision: "left", note: "", waiting: false })]).map(({ id }) => id)).toEqual(["q-2"]);
});

test("a permission that is closed is refused once; a question that is closed stays open", () => {
  const permission = questionOf(asked({ question: { id: "q", text: "Run it?", kind: "permission" }, waiting: true }));
  const question = questionOf(asked({ question: { id: "q", text: "Why?" }, waiting: true }));
  if (permission === undefined || question === undefined) {
    throw new Error("no question");
  }

  expect(answerTitles(permission)).toEqual(["Allow once", "Always allow", "Reject once", "Always reject"]);
  expect(decisionOf(permission, "Always allow")).toBe("allowAlways");
  expect(decisionOf(permission, undefined)).toBe("rejectOnce");
  expect(answerTitles(question)).toEqual([]);
  expect(decisionOf(question, undefined)).toBeUndefined();
  expect(decisionOf(question, "so")).toBe("so");
});

test("the end of a run is one sentence, and so is what was measured again", () => {
  expect(measuredSentence(proposal().evidence)).toBe("Measured again: verified. 1 test was fixed.");
  expect(outcomeSentence(proposal(), "proposed", "")).toBe("1 change proposed: verified. 1 test was fixed.");
  expect(outcomeSentence(undefined, "failed", "No fix was found.")).toBe("No change is proposed: No fix was found.");
});

test("findings are read, and what is no list of them is said as it is", () => {
  const findings = readFindings('note\n[{"name": "engine", "ok": false, "detail": "gone", "remedy": "start it", "optional": false}]\n');

  expect(findings).toHaveLength(1);
  expect(doctorMarkdown("running", "/x/greenline", findings)).toContain("✗ **engine**: `gone`\n  - `start it`");
  expect(readFindings("Traceback")[0]?.detail).toBe("Traceback");
});

test("text of the doctor stays text, whatever marks it holds", () => {
  expect(doctorMarkdown("running", "", [{ name: "x", ok: true, detail: "a ``b`` [c](d)" }])).toContain("``` a ``b`` [c](d) ```");
});

test("lines end as LSP has them", () => {
  expect(splitLines("a\r\nb\rc\nd")).toEqual(["a\r\n", "b\r", "c\n", "d"]);
  expect(splitLines("")).toEqual([]);
  expect(oneLine(" a\n b ", 10)).toBe("a b");
  expect(oneLine("abcdef", 4)).toBe("abc…");
});

test.each([
  [1, 0, "a.py changed on the disk and was read again; its proposed change is placed on the new text."],
  [2, 0, "a.py changed on the disk and was read again; its proposed changes are placed on the new text."],
  [2, 1, "a.py changed on the disk and was read again; the text that a proposed change replaces is gone: reject it, or take back what changed the file."],
  [2, 2, "a.py changed on the disk and was read again; the text that 2 proposed changes replace is gone: reject them, or take back what changed the file."],
])("a file that was read again with %i waiting changes, %i of them without their text, is told in a sentence", (waiting, gone, wanted) => {
  expect(rereadSentence("a.py", waiting, gone)).toBe(wanted);
});
