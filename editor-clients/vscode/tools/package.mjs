// Makes greenline.vsix: the bundle, and the server's wheel, so that the extension can offer to install it.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createVSIX } from "@vscode/vsce";
import "./build.mjs";

const client = fileURLToPath(new URL("..", import.meta.url));
const root = fileURLToPath(new URL("../../..", import.meta.url));

rmSync(`${client}/server`, { recursive: true, force: true });
const python = process.env.GREENLINE_PYTHON ?? `${root}/.venv/bin/python`;
execFileSync(python, ["-m", "hatchling", "build", "-t", "wheel", "-d", `${client}/server`], { cwd: root, stdio: "ignore" });
copyFileSync(`${root}/LICENSE`, `${client}/LICENSE.txt`);
await createVSIX({ cwd: client, packagePath: `${client}/greenline.vsix`, dependencies: false, allowMissingRepository: true });
