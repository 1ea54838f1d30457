import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error The guard is plain JavaScript, since it runs before anything is built.
import { problems } from "../../tools/guard.mjs";

interface Manifest {
  contributes: {
    commands: { command: string; title: string }[];
    menus: Record<string, { command?: string; when?: string }[]>;
    keybindings: { command: string; key: string; mac?: string; when?: string }[];
    configuration: { properties: Record<string, { default: unknown; markdownDescription: string; scope: string }> };
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const check = problems as (manifest: unknown) => string[];
const page = readFileSync(new URL("../../../../docs/vscode.md", import.meta.url), "utf8");
const { menus } = manifest.contributes;
const { properties } = manifest.contributes.configuration;
const commands = manifest.contributes.commands.map(({ command }) => command);

test("the manifest uses the stable API alone", () => {
  expect(check(manifest)).toEqual([]);
});

test("the guard finds proposed API", () => {
  expect(check({ enabledApiProposals: [] })).toEqual(["enabledApiProposals asks for proposed API"]);
  expect(check({ contributes: { menus: { "diffEditor/gutter/hunk": [] } } })).toEqual(["the menu diffEditor/gutter/hunk is not of the stable API"]);
  expect(check({ contributes: { menus: { "editor/title": [{ command: "x.y" }] } } })).toHaveLength(1);
});

test("every command of the manifest is registered, and every registered one is in the manifest", () => {
  const source = read("src/extension.ts");
  const table = /function commandsOf[\s\S]*?return \{([\s\S]*?)\n  \};/.exec(source)?.[1] ?? "";
  const registered = [...table.matchAll(/^ {4}(\w+): /gm)].map((match) => `greenline.${match[1] ?? ""}`);

  expect(registered.sort()).toEqual([...commands].sort());
});

test("every key has a condition and a command, and no two with one condition are the same", () => {
  const keys = manifest.contributes.keybindings;

  expect(keys.filter(({ command }) => !commands.includes(command))).toEqual([]);
  expect(keys.filter(({ when }) => when === undefined)).toEqual([]);
  expect(new Set(keys.map(({ key, when }) => `${key} ${when ?? ""}`)).size).toBe(keys.length);
});

test("a workspace can set neither a model, an address, a budget nor the server's environment", () => {
  for (const name of ["model", "apiBase", "budgetUsd", "server.environment"]) {
    expect(properties[`greenline.${name}`]?.scope).toBe("machine");
  }
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain("greenline.server.path");
});

test("every command of the palette and every key is in the documentation", () => {
  const hidden = menus["commandPalette"]?.filter(({ when }) => when === "false").map(({ command }) => command);
  const titles = manifest.contributes.commands
    .filter(({ command }) => hidden?.includes(command) !== true)
    .map(({ title }) => title.replace(/…$/, ""));
  const keys = manifest.contributes.keybindings.flatMap(({ key, mac }) => (mac === undefined ? [key] : [key, mac]));

  expect(titles.filter((title) => !page.toLowerCase().includes(title.toLowerCase()))).toEqual([]);
  expect(keys.filter((key) => !page.toLowerCase().includes(`\`${key}\``))).toEqual([]);
});

test("the documentation has the settings of the manifest, with their defaults, and no others", () => {
  const rows = [...page.matchAll(/^\| `(greenline\.[\w.]+)` \| (.*?) \|/gm)].map(([, name, value]) => [name, value]);
  const settings = Object.entries(properties).map(([name, { default: value }]) => {
    const isEmpty = value === null || value === "";
    return [name, isEmpty ? "empty" : `\`${typeof value === "string" ? value : JSON.stringify(value)}\``];
  });

  expect(rows).toEqual(settings);
});

test("the code reads every setting with the default of the manifest, and the server starts anew for it", () => {
  const code = read("src/host/config.ts");
  const reads = [...code.matchAll(/get<[^(]*>\("([\w.]+)", (.*?)\)/g)].map(([, name, value]) => [`greenline.${name ?? ""}`, JSON.parse(value ?? "") as unknown]);
  // The language client reads the trace itself.
  const settings = Object.entries(properties).filter(([name]) => name !== "greenline.trace.server");

  expect(Object.fromEntries(reads)).toEqual(Object.fromEntries(settings.map(([name, { default: value }]) => [name, value])));
  // Whatever is read is compared with what the server was started with.
  expect(code).toContain("JSON.stringify([readSettings(), configuredPath()])");
});

test("the documentation names the VS Code that is tested, and the oldest one that the types are of", () => {
  const { version } = JSON.parse(read("host/vscode-lock.json")) as { version: string };
  const { engines, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const oldest = devDependencies?.["@types/vscode"] ?? "";

  expect(page).toContain(`the real VS Code ${version} (`);
  expect(engines?.["vscode"]).toBe(`^${oldest}`);
  expect(page).toContain(`It needs VS Code ${oldest.replace(/\.0$/, "")} or newer`);
});

test("what an empty setting means is what the server takes", () => {
  const server = readFileSync(new URL("../../../../server/greenline/config/settings.py", import.meta.url), "utf8");
  const names = { budgetUsd: "budget_usd", repairSeconds: "repair_s", maxIterations: "max_iterations" };

  for (const [name, option] of Object.entries(names)) {
    const value = Number(new RegExp(`^ {4}${option}: \\w+ = ([\\d.]+)$`, "m").exec(server)?.[1]);
    expect(properties[`greenline.${name}`]?.markdownDescription).toMatch(new RegExp(`empty: (the server's default of )?${String(value)}\\.`));
    expect(page).toMatch(new RegExp(`^\\| \`greenline\\.${name}\` .* empty: ${String(value)} \\|$`, "m"));
  }
});
