/** Questions of a run, found in its events. Pure. */
import type { AgentEvent, Question } from "./wire";

export const PERMISSIONS: Readonly<Record<string, string>> = {
  "Allow once": "allowOnce",
  "Always allow": "allowAlways",
  "Reject once": "rejectOnce",
  "Always reject": "rejectAlways",
};

/** Return the question that an event asks and that the run waits for, or undefined. */
export function questionOf(event: AgentEvent): Question | undefined {
  const asked = event.data["question"];
  if (event.kind !== "checkpoint" || event.data["waiting"] !== true || !isRecord(asked)) {
    return undefined;
  }
  const { id, text, options, kind } = asked;
  if (typeof id !== "string" || typeof text !== "string") {
    return undefined;
  }
  return {
    id,
    text,
    options: Array.isArray(options) ? options.filter((each) => typeof each === "string") : [],
    kind: kind === "permission" ? "permission" : "question",
  };
}

/** Return the questions of a run that nobody has answered, the oldest first. */
export function openQuestions(events: readonly AgentEvent[]): Question[] {
  const answered = new Set(events.filter(({ data }) => "decision" in data).map(({ data }) => data["checkpointId"]));
  return events
    .map((event) => questionOf({ ...event, data: { ...event.data, waiting: true } }))
    .filter((question) => question !== undefined)
    .filter(({ id }) => !answered.has(id));
}

/** Return the titles to choose from; empty where the answer is free text. */
export function answerTitles(question: Question): string[] {
  return question.kind === "permission" ? Object.keys(PERMISSIONS) : [...question.options];
}

/** Return what the server is told for a chosen title; a permission that is closed is refused once. */
export function decisionOf(question: Question, chosen: string | undefined): string | undefined {
  if (question.kind === "permission") {
    return PERMISSIONS[chosen ?? "Reject once"] ?? "rejectOnce";
  }
  return chosen === undefined || chosen === "" ? undefined : chosen;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
