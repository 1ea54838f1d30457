/** The server's remedies in the names that things have in VS Code. Pure. */

/** What the server calls something by, for all its clients → what it is here. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\bGREENLINE_MODEL\b/g, "the setting greenline.model"],
  [/\bGREENLINE_API_BASE\b/g, "the setting greenline.apiBase"],
  [/\bGREENLINE_API_KEY\b/g, "the key that “Agent: select model…” asks for"],
  [/\bGREENLINE_BUDGET_USD\b/g, "the setting greenline.budgetUsd"],
  [/\bset the setting\b/g, "set"],
  [/\bSet the setting\b/g, "Set"],
];

/** Return words of the server for people who set everything in VS Code. */
export function hereWords(words: string): string {
  return NAMES.reduce((text, [name, here]) => text.replace(name, here), words);
}
