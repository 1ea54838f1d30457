// Runs in the extension host: answers questions that lie in a folder as files, `ask-N.json` by `answer-N.json`.
const { existsSync, readFileSync, readdirSync, renameSync, watch, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const vscode = require("vscode");

const PAUSE_MS = 50;

/** @param {string} file */
function uriOf(file) {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, file);
}

/** Return the texts of what hover shows at a place, of all extensions. */
async function hover({ file, line, character }) {
  const found = await vscode.commands.executeCommand("vscode.executeHoverProvider", uriOf(file), new vscode.Position(line, character));
  return found.flatMap(({ contents }) => contents).map((content) => (typeof content === "string" ? content : content.value));
}

/** Return the titles of the code actions at a place, as the light bulb lists them. */
async function actions({ file, line, character }) {
  const place = new vscode.Position(line, character);
  const found = await vscode.commands.executeCommand("vscode.executeCodeActionProvider", uriOf(file), new vscode.Range(place, place));
  return found.map(({ title }) => title);
}

/** Return the commands of the lenses of a file with their arguments. */
async function lenses({ file }) {
  const found = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", uriOf(file));
  return found.map(({ command }) => ({ command: command?.command, arguments: command?.arguments }));
}

async function command({ name, args }) {
  await vscode.commands.executeCommand(name, ...(args ?? []));
  return null;
}

/** Ask for hovers and code actions in turn, `n` of each; each answer must hold a text. */
async function sample({ n, place, wanted }) {
  const times = { hover: [], action: [] };
  for (let number = 0; number < 2 * n; number += 1) {
    const kind = number % 2 === 0 ? "hover" : "action";
    const begun = performance.now();
    const texts = await (kind === "hover" ? hover : actions)(place);
    times[kind].push(performance.now() - begun);
    if (!texts.some((text) => text.includes(wanted[kind]))) {
      throw new Error(`the ${kind} lacks ${wanted[kind]}: ${texts.join(" | ")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return times;
}

const ANSWERS = { hover, actions, lenses, command, sample };

exports.activate = (context) => {
  const folder = process.env.GREENLINE_PROBE;
  if (folder === undefined) {
    return;
  }
  const taken = new Set();
  const look = () => {
    for (const name of readdirSync(folder).filter((each) => /^ask-\d+\.json$/.test(each))) {
      if (!taken.has(name)) {
        taken.add(name);
        void answer(folder, name);
      }
    }
  };
  const watcher = watch(folder, look);
  context.subscriptions.push({ dispose: () => watcher.close() });
  look();
};

async function answer(folder, name) {
  const { kind, ...question } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  let value;
  try {
    value = { result: await ANSWERS[kind](question) };
  } catch (error) {
    value = { error: String(error) };
  }
  const target = join(folder, name.replace("ask", "answer"));
  if (!existsSync(target)) {
    writeFileSync(`${target}.part`, JSON.stringify(value));
    renameSync(`${target}.part`, target);
  }
}
