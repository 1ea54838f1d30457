/** The job with a model: a plan to edit, several files, permission, questions, cancel. The model is a script. */
import { existsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture, type HostOptions } from "./host.ts";
import { inWindow } from "./session.ts";
import { until, type Window } from "./window.ts";

const DISCOUNT = `"""Quantity discounts: the more of one article, the larger the discount."""

# From how many pieces on, and how many percent.
STEPS = [(100, 15), (50, 10), (10, 5)]


def discount_percent(quantity):
    """Return the discount for a quantity; a step begins with its own number of pieces."""
    for pieces, percent in STEPS:
        if quantity >= pieces:
            return percent
    return 0
`;
const CHECK = "tests/test_invoice.py::test_a_reminder_costs_a_fee";
const LAST = "    assert invoice.overdue(date(2024, 5, 17))\n";
const NEW_TEST = `${LAST}

def test_a_reminder_costs_a_fee():
    assert Invoice("Ada", ISSUED).reminder_fee(date(2024, 5, 16)) == 0
    assert Invoice("Ada", ISSUED).reminder_fee(date(2024, 5, 17)) == 500
`;
const OVERDUE = "        return today > self.due()\n";
const METHOD = `${OVERDUE}
    def reminder_fee(self, today):
        """Return what a reminder costs in cents."""
        return FEE if self.overdue(today) else 0
`;

type Turn = Record<string, unknown>;

function call(name: string, args: Record<string, unknown>): Turn {
  return { tool_calls: [{ name, arguments: args }] };
}

const FEE_PLAN = call("submit_plan", {
  entries: [
    { intent: "Add Invoice.reminder_fee and its test", files: ["ledger/invoice.py", "tests/test_invoice.py"], checks: [CHECK] },
    { intent: "Rename every method", files: ["ledger/money.py"] },
  ],
  risk: "Nobody knows yet who sends reminders.",
});
const SMALL_PLAN = call("submit_plan", { entries: [{ intent: "Explain the rounding", files: ["ledger/money.py"] }], risk: "None." });
const REVISED_PLAN = call("submit_plan", { entries: [{ intent: "Explain the rounding with an example", files: ["ledger/money.py"] }], risk: "None." });
const SCORE = call("submit_score", { score: 8, problems: ["The fee is a magic number."] });

/** What the model says, in the order of the tests. */
const TURNS: Turn[] = [
  FEE_PLAN,
  SCORE,
  call("edit_file", { path: "ledger/invoice.py", search: OVERDUE, replace: METHOD }),
  call("edit_file", { path: "ledger/invoice.py", search: "TAX_PERCENT = 19\n", replace: "TAX_PERCENT = 19\nFEE = 500\n" }),
  call("edit_file", { path: "tests/test_invoice.py", search: LAST, replace: NEW_TEST }),
  call("create_file", { path: "docs/fees.md", content: "# Fees\n\nA reminder costs 5.00.\n" }),
  { content: "Adds reminder_fee with its test." },
  call("ask_user", { questions: [{ text: "Whole cents or fractions?", options: ["whole", "fractions"] }] }),
  { ...SMALL_PLAN, expect: ["whole"] },
  SCORE,
  { ...REVISED_PLAN, expect: ["Give an example."] },
  SCORE,
  SMALL_PLAN,
  SCORE,
  call("run_command", { command: "python -c 'print(40 + 2)'" }),
  { ...call("edit_file", { path: "ledger/money.py", search: "half a cent rounded up", replace: "half a cent rounded up, never down" }), expect: ["42"] },
  { content: "Says how it rounds." },
  { ...call("submit_plan", { entries: [{ intent: "Follow the picture", files: ["ledger/money.py"] }], risk: "None." }), expect: ["[image image/png]", "sketch.png"] },
  SCORE,
  { ...call("edit_file", { path: "ledger/money.py", search: "half a cent rounded up", replace: "half a cent rounded up, as drawn" }), expect: ["[image image/png]"] },
  { content: "Says what the picture shows." },
  SMALL_PLAN,
  SCORE,
  { ...call("edit_file", { path: "ledger/money.py", search: "half a cent rounded up", replace: "half a cent rounded up, later" }), delay_s: 3 },
  { content: "Says when it rounds." },
  { ...call("ask_user", { questions: [{ text: "What are the words?" }] }), delay_s: 2 },
  { ...SMALL_PLAN, expect: ["In these words."], delay_s: 2 },
  SCORE,
  { content: "late", delay_s: 300 },
];

let window: Window;

function withModel(): HostOptions {
  const script = join(tmpdir(), `greenline-turns-${String(process.pid)}.json`);
  writeFileSync(script, JSON.stringify(TURNS));
  return {
    environment: { GREENLINE_MODEL: `scripted:${script}` },
    files: { "ledger/discount.py": DISCOUNT },
    // A change that no test covers is proposed as it is, without a second attempt.
    settings: { "greenline.maxIterations": 1 },
  };
}

inWindow(withModel, async (opened) => {
  window = opened;
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
});

test("a plan opens as a document with check boxes, the critic's score and the risk", async () => {
  await window.command("Agent: plan…");
  await window.type("Add a reminder fee to invoices.");
  await window.line("- [x] 1. Add Invoice.reminder_fee").waitFor({ timeout: 110_000 });
  const text = await window.text();
  expect(text).toContain("score: 8 of 10");
  expect(text).toContain("Risk: Nobody knows yet who sends reminders.");
  expect(text).toContain("The critic: The fee is a magic number.");
  for (const title of ["✓ Approve", "✎ Revise", "✗ Cancel"]) {
    await window.lens(title).waitFor();
  }
  await picture(window.page, "plan");
});

test("a plan that says nothing any more is refused, with the line that is wrong", async () => {
  await window.replaceInLine("- [x] 1. Add", "x", "?");
  await window.lens("✓ Approve").click();
  await window.toast(/cannot be carried out.*An entry reads/).waitFor();
  await window.clearToasts();
  await window.page.keyboard.press("Control+Z");
  await window.line("- [x] 1. Add").waitFor();
});

test("an unticked entry is left out, Approve carries the rest out, and several files wait", async () => {
  await window.replaceInLine("- [x] 2. Rename", "x", " ");
  await window.lens("✓ Approve").click();
  await window.toast(/changes proposed: verified · touches tests/).waitFor({ timeout: 110_000 });
  await window.statusBar().filter({ hasText: "4 to review" }).waitFor();
});

test("all files are reviewed in one multi-diff", async () => {
  await window.choose(/changes proposed/, "Review");
  const diffs = window.page.locator(".multiDiffEntry");
  await diffs.filter({ hasText: "invoice.py" }).first().waitFor({ timeout: 60_000 });
  await window.page.locator(".multiDiffEntry .line-insert").first().waitFor();
  await picture(window.page, "multi-diff");
  await window.command("View: Close Editor");
});

test("the keys for next and previous go through a file and on to the others", async () => {
  await window.open("ledger/invoice.py");
  await window.cursorOn("An invoice: lines");
  await window.page.keyboard.press("Alt+]");
  await until("the cursor is on the first hunk", async () => (await window.cursorLine()) === 10);
  await window.page.keyboard.press("Alt+]");
  await until("the cursor is on the second hunk", async () => (await window.cursorLine()) > 40);
  await window.page.keyboard.press("Alt+[");
  await until("the cursor is on the first hunk again", async () => (await window.cursorLine()) === 10);
  await window.page.keyboard.press("Alt+]");
  await window.page.keyboard.press("Alt+]");
  await window.page.locator(".tab.active").filter({ hasText: "test_invoice.py" }).waitFor();
});

test("the peek goes from change to change, and leaves nothing behind", async () => {
  await window.open("ledger/invoice.py");
  await until("the cursor is at the top", async () => {
    await window.page.keyboard.press("Control+Home");
    return (await window.cursorLine()) === 1;
  });
  await window.page.keyboard.press("Alt+]");
  await until("the cursor is on the first hunk", async () => (await window.cursorLine()) === 10);
  const before = await window.page.locator(".tab").count();
  // What a resting pointer shows would take the Escape.
  await window.page.mouse.move(640, 600);
  await window.page.keyboard.press("Shift+Alt+G");
  const peek = window.page.locator(".peekview-widget");
  await peek.filter({ hasText: "1 of 2 changes" }).waitFor({ timeout: 60_000 });
  await window.page.keyboard.press("Alt+F3");
  await peek.filter({ hasText: "2 of 2 changes" }).waitFor();
  await window.page.keyboard.press("Escape");
  await peek.waitFor({ state: "detached" });
  await until("its tab is gone", async () => (await window.page.locator(".tab").count()) === before);
  await window.page.locator('.tab.active[aria-label^="invoice.py"]').waitFor();
});

test("a file that would be created is shown as what it would be, and is not there", async () => {
  await window.command("Source Control: Focus on Changes View");
  await window.page.locator(".scm-view .monaco-list-row").filter({ hasText: "fees.md" }).click();
  await window.line("A reminder costs 5.00.").first().waitFor({ timeout: 60_000 });
  await window.lens("✓ Accept").first().waitFor();
  expect(existsSync(join(window.host.workspace, "docs/fees.md"))).toBe(false);
  await window.command("View: Close Editor");
});

test("accept all puts every file in, and creates the new one", async () => {
  await window.command("File: Toggle Auto Save");
  await window.command("Agent: accept all");
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 60_000 });
  await until("the new file is whole", () => existsSync(join(window.host.workspace, "docs/fees.md")) && window.disk("docs/fees.md").includes("A reminder costs 5.00."));
  expect(window.disk("ledger/invoice.py")).not.toContain("FEE = 500");
  await window.command("File: Toggle Auto Save");
  await until("the edited file is saved", () => window.disk("ledger/invoice.py").includes("FEE = 500"));
});

test("undo last takes all of it back in all files", async () => {
  await window.command("Agent: undo last accepted change");
  await window.toast(/Undone in/).waitFor();
  await until("the edited file is as it was", () => !window.disk("ledger/invoice.py").includes("FEE = 500"));
  expect(existsSync(join(window.host.workspace, "docs/fees.md"))).toBe(false);
  await window.command("Agent: reject all");
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor();
  await window.clearToasts();
});

test("what the agent asks is asked where the user is, and the plan follows the answer", async () => {
  await window.command("Agent: plan…");
  await window.type("Say how amounts are rounded.");
  await window.choose("Whole cents or fractions?", "whole");
  await window.line("- [x] 1. Explain the rounding").waitFor({ timeout: 110_000 });
});

test("Revise asks what should change, and shows the next version", async () => {
  await window.lens("✎ Revise").click();
  await window.type("Give an example.");
  await window.line("- [x] 1. Explain the rounding with an example").waitFor({ timeout: 110_000 });
  expect(await window.page.locator(".tab").filter({ hasText: "plan.md" }).count()).toBe(1);
});

test("Cancel ends the run of a plan and closes its document", async () => {
  await window.lens("✗ Cancel").click();
  await window.page.locator(".tab").filter({ hasText: "plan.md" }).waitFor({ state: "detached" });
});

test("a command that the agent wants to run needs a permission; the request knows the selection", async () => {
  await window.open("ledger/money.py");
  await window.cursorOn("half a cent rounded up");
  await window.page.keyboard.press("Home");
  await window.page.keyboard.press("Shift+End");
  await window.command("Agent: implement…");
  const box = window.page.locator(".quick-input-widget");
  await box.filter({ hasText: "about ledger/money.py:21" }).waitFor();
  await window.type("Say that it never rounds down.");
  await window.choose(/print\(40 \+ 2\)/, "Allow once");
  await window.toast(/1 change proposed/).waitFor({ timeout: 110_000 });
  await window.lens("✓ Accept").waitFor();
});

test("accepting all of what is not verified asks first", async () => {
  await window.clearToasts();
  await window.command("Agent: accept all");
  await window.choose(/not verified/, "Cancel");
  await window.lens("✓ Accept").waitFor();
  await window.command("Agent: reject all");
  await window.lens("✓ Accept").waitFor({ state: "detached" });
});

test("an image that is attached is seen by the model; what is none is said, and the words stay", async () => {
  for (const [name, bytes] of [["sketch.png", Buffer.from("iVBORw0KGgo=", "base64")], ["words.png", Buffer.from("no image")]] as const) {
    writeFileSync(join(window.host.workspace, name), bytes);
  }
  await window.command("Agent: implement…");
  const box = window.page.locator(".quick-input-widget");
  await box.filter({ hasText: "What should be implemented?" }).waitFor();
  await box.locator("input.input").fill("Make it look");
  await window.attach("words.png");
  await box.filter({ hasText: "words.png was not attached: it holds no image." }).waitFor();
  await window.attach("sketch.png");
  await box.filter({ hasText: "with sketch.png" }).waitFor();
  await picture(window.page, "attach-image");
  await window.page.keyboard.type(" like this.");
  expect(await box.locator("input.input").inputValue()).toBe("Make it look like this.");
  await window.page.keyboard.press("Enter");
  await window.toast(/1 change proposed/).waitFor({ timeout: 110_000 });
  await window.command("Agent: reject all");
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor();
  await window.clearToasts();
});

test("a run that is paused stands still and is shown so, and goes on from the tree", async () => {
  await window.command("Agent: implement…");
  await window.type("Pause on the way.");
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  await window.command("Agent: pause");
  await window.statusBar().filter({ hasText: "Greenline paused" }).waitFor({ timeout: 60_000 });
  await window.progress("Pause on the way").filter({ hasText: "paused" }).waitFor();
  await window.command("Agent: show run");
  const row = window.page.locator(".pane-body .monaco-list-row").filter({ hasText: /Pause on the way\..*paused/ });
  await row.waitFor();
  await picture(window.page, "paused");
  await window.command("Agent: pause");
  await window.toast("the run is paused already").waitFor();
  expect(await window.toast(/change proposed/).count()).toBe(0);
  await row.hover();
  await row.locator('.action-label[aria-label^="resume a run"]').click();
  await window.toast(/1 change proposed/).waitFor({ timeout: 60_000 });
  await window.statusBar().filter({ hasText: "1 to review" }).waitFor();
  await window.command("Agent: reject all");
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor();
  await window.clearToasts();
});

test("what the agent asks in words, and the plan that follows, take no letter from who types meanwhile", async () => {
  await window.command("Agent: plan…");
  await window.type("Say it in my words.");
  await window.open("ledger/money.py");
  await window.cursorOn("half a cent rounded up");
  await window.page.keyboard.press("End");
  await typeUntil(window.toast("The agent asks: What are the words?"));
  await window.page.keyboard.press("Escape");
  await window.command("Agent: answer the agent…");
  await window.choose("The agent asks", "Answer…");
  await window.type("In these words.");
  await window.cursorOn("half a cent rounded up");
  await window.page.keyboard.press("End");
  await typeUntil(window.toast("The plan for “Say it in my words.” is ready."));
  await window.choose("The plan for", "Show the plan");
  await window.line("- [x] 1. Explain the rounding").waitFor();
  await window.lens("✗ Cancel").click();
  await window.page.locator(".tab").filter({ hasText: "plan.md" }).waitFor({ state: "detached" });
});

/** Type until something is shown; every letter has to be in the text. */
async function typeUntil(shown: ReturnType<Window["toast"]>): Promise<void> {
  let typed = "";
  await until("it is shown", async () => {
    await window.page.keyboard.type("x");
    typed += "x";
    return (await shown.count()) > 0;
  }, 60_000);
  await window.page.keyboard.type("yz");
  await until("every letter is in the text", async () => (await window.text()).includes(`${typed}yz`));
}

test("pause and resume of nothing say so", async () => {
  await window.command("Agent: pause");
  await window.toast(/no run is under way/).first().waitFor();
  await window.clearToasts();
});

test("cancel stops a run that waits for the model", async () => {
  await window.command("Agent: implement…");
  await window.type("Wait for ever.");
  await window.statusBar().filter({ hasText: "working" }).waitFor({ timeout: 60_000 });
  await window.command("Agent: cancel");
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 60_000 });
});

test("a model that fails is said once, in words", async () => {
  await window.clearToasts();
  await window.command("Agent: implement…");
  await window.type("One more thing.");
  await window.failure(/script of the model/).waitFor({ timeout: 60_000 });
  await window.toast("One more thing").waitFor({ state: "detached" });
  expect(await window.failure(/script of the model/).count()).toBe(1);
});

test("a run that was cancelled can be chosen and resumed", async () => {
  await window.clearToasts();
  await window.command("Agent: resume a run…");
  await window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Wait for ever." }).first().click();
  await window.command("Agent: show run");
  const rows = window.page.locator(".pane-body .monaco-list-row");
  await rows.filter({ hasText: /Wait for ever\..*failed/ }).first().waitFor({ timeout: 60_000 });
});

test("select model takes a name, an address and a key, and the server starts with them", async () => {
  await window.clearToasts();
  await window.command("Agent: select model…");
  await window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "OpenAI-compatible server" }).click();
  for (const [title, text] of [["The model", "openai/chosen"], ["Its address", "http://127.0.0.1:9/v1"], ["Its key", "sk-secret"]] as const) {
    await window.page.locator(".quick-input-title").filter({ hasText: title }).waitFor();
    await window.type(text);
  }
  await window.statusBar().filter({ hasText: "Greenline ready" }).waitFor({ timeout: 90_000 });
  await until("the settings have the model", () => window.userSettings().includes('"greenline.model": "openai/chosen"'));
  expect(window.userSettings()).not.toContain("sk-secret");
  await until("the server has it", () => {
    const environment = window.serverProcesses().map((id) => window.environment(id)).join();
    return environment.includes("GREENLINE_MODEL=openai/chosen") && environment.includes("GREENLINE_API_KEY=sk-secret");
  });
});
