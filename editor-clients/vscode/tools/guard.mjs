// Fails on proposed API: VS Code's own builds do not refuse it everywhere, so nothing else would say so.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

/** Menus that every VS Code has; any other name is proposed, or a typing error. */
const STABLE_MENUS = new Set([
  "commandPalette", "comments/comment/context", "comments/comment/title", "comments/commentThread/context",
  "comments/commentThread/title", "debug/callstack/context", "debug/toolBar", "debug/variables/context",
  "editor/context", "editor/context/copy", "editor/lineNumber/context", "editor/title", "editor/title/context",
  "editor/title/run", "explorer/context", "extension/context", "file/newFile", "interactive/cell/title",
  "interactive/toolbar", "menuBar/edit/copy", "notebook/cell/title", "notebook/toolbar", "scm/change/title",
  "scm/resourceFolder/context", "scm/resourceGroup/context", "scm/resourceState/context", "scm/sourceControl",
  "scm/title", "terminal/context", "terminal/title/context", "testing/item/context", "testing/item/gutter",
  "timeline/item/context", "timeline/title", "touchBar", "view/item/context", "view/title",
  "webview/context",
]);

/** Return what of a manifest needs proposed API, each as one sentence. */
export function problems(manifest) {
  const found = [];
  if ("enabledApiProposals" in manifest) {
    found.push("enabledApiProposals asks for proposed API");
  }
  const contributes = manifest.contributes ?? {};
  const submenus = new Set((contributes.submenus ?? []).map(({ id }) => id));
  for (const menu of Object.keys(contributes.menus ?? {})) {
    if (!STABLE_MENUS.has(menu) && !submenus.has(menu)) {
      found.push(`the menu ${menu} is not of the stable API`);
    }
  }
  const commands = new Set((contributes.commands ?? []).map(({ command }) => command));
  for (const item of Object.values(contributes.menus ?? {}).flat()) {
    if (item.command !== undefined && !commands.has(item.command)) {
      found.push(`a menu names the command ${item.command}, which is not contributed`);
    }
  }
  return found;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const found = problems(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")));
  for (const problem of found) {
    console.error(`package.json: ${problem}`);
  }
  process.exitCode = found.length === 0 ? 0 : 1;
}
