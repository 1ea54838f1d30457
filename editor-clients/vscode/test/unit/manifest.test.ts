import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error The guard is plain JavaScript, since it runs before anything is built.
import { problems } from "../../tools/guard.mjs";

interface Manifest {
  contributes: {
    commands: { command: string }[];
    menus: Record<string, { command?: string; when?: string }[]>;
    keybindings: { command: string; key: string; when?: string }[];
    configuration: { properties: Record<string, { markdownDescription: string; scope: string }> };
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
const manifest = JSON.parse(read("package.json")) as Manifest;
const check = problems as (manifest: unknown) => string[];
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
  const { properties } = manifest.contributes.configuration;

  for (const name of ["model", "apiBase", "budgetUsd", "server.environment"]) {
    expect(properties[`greenline.${name}`]?.scope).toBe("machine");
  }
  expect(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations).toContain("greenline.server.path");
});

test("every command, key and setting is in the documentation", () => {
  const text = readFileSync(new URL("../../../../docs/vscode.md", import.meta.url), "utf8");
  const missing = Object.keys(manifest.contributes.configuration.properties).filter((name) => !text.includes(`\`${name}\``));
  const keys = manifest.contributes.keybindings.filter(({ key }) => !text.toLowerCase().includes(`\`${key}\``));

  expect(missing).toEqual([]);
  expect(keys.map(({ key }) => key)).toEqual([]);
});
