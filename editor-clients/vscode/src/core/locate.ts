/** Where the server is, and how it could be installed. Pure: the file system is asked through `Probe`. */
import * as path from "node:path";

export interface Probe {
  /** Return whether a path is a file that can be executed. */
  isProgram(file: string): boolean;
}

export interface Surroundings {
  /** The setting `greenline.server.path`. */
  readonly configured: string;
  readonly searchPath: string;
  /** Folders of the workspace, as paths of the machine that the extension runs on. */
  readonly folders: readonly string[];
  readonly home: string;
  readonly windows: boolean;
}

export type Found =
  | { readonly kind: "found"; readonly command: string; readonly from: "setting" | "PATH" | "workspace" | "user" }
  | { readonly kind: "missing"; readonly reason: string };

/** Return the server's program: the setting, then PATH and the user's own folder, then the workspace's venv. */
export function locate(where: Surroundings, probe: Probe): Found {
  const api = where.windows ? path.win32 : path.posix;
  const name = where.windows ? "greenline.exe" : "greenline";
  if (where.configured !== "") {
    const full = expand(where, api);
    return probe.isProgram(full)
      ? { kind: "found", command: full, from: "setting" }
      : { kind: "missing", reason: `The setting greenline.server.path names ${full}, which is no program.` };
  }
  for (const folder of where.searchPath.split(api.delimiter)) {
    // A relative entry of PATH would run a program of whatever folder is current.
    if (api.isAbsolute(folder) && probe.isProgram(api.join(folder, name))) {
      return { kind: "found", command: api.join(folder, name), from: "PATH" };
    }
  }
  const own = api.join(where.home, ".local", "bin", name);
  if (where.home !== "" && probe.isProgram(own)) {
    return { kind: "found", command: own, from: "user" };
  }
  for (const folder of where.folders) {
    const inside = api.join(folder, ".venv", where.windows ? "Scripts" : "bin", name);
    if (probe.isProgram(inside)) {
      return { kind: "found", command: inside, from: "workspace" };
    }
  }
  return { kind: "missing", reason: "The server (the program greenline) is not on PATH and not in the workspace's .venv." };
}

function expand(where: Surroundings, api: path.PlatformPath): string {
  if (where.configured.startsWith("~/")) {
    return api.join(where.home, where.configured.slice(2));
  }
  const folder = where.folders[0];
  if (folder !== undefined) {
    const inFolder = where.configured.replace("${workspaceFolder}", folder);
    return api.isAbsolute(inFolder) ? inFolder : api.join(folder, inFolder);
  }
  return where.configured;
}

export interface InstallWay {
  readonly label: string;
  readonly command: string;
}

export interface Installers {
  readonly uv: boolean;
  readonly pipx: boolean;
  readonly python: string | undefined;
}

/** Return the ways to install the server from a package, the best first, each with its exact command. */
export function installWays(source: string, have: Installers, home: string): InstallWay[] {
  const from = quote(source);
  const ways: InstallWay[] = [];
  if (have.uv) {
    ways.push({ label: "uv tool", command: `uv tool install --python 3.11 ${from}` });
  }
  if (have.pipx) {
    ways.push({ label: "pipx", command: `pipx install ${from}` });
  }
  if (have.python !== undefined) {
    const venv = path.posix.join(home, ".local", "share", "greenline", "venv");
    const link = path.posix.join(home, ".local", "bin");
    const steps = [
      `${quote(have.python)} -m venv ${quote(venv)}`,
      `${quote(`${venv}/bin/pip`)} install ${from}`,
      `mkdir -p ${quote(link)}`,
      `ln -sf ${quote(`${venv}/bin/greenline`)} ${quote(`${link}/greenline`)}`,
    ];
    ways.push({ label: "venv", command: steps.join(" && ") });
  }
  return ways;
}

/** Quote a word for a POSIX shell where it needs that. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;
}
