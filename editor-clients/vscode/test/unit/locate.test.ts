import { expect, test } from "vitest";
import { installWays, locate, quote, type Surroundings } from "../../src/core/locate.ts";

const WHERE: Surroundings = { configured: "", searchPath: "/usr/bin:/opt/bin", folders: ["/w"], home: "/home/u", windows: false };

function found(programs: string[], more: Partial<Surroundings> = {}): string {
  const result = locate({ ...WHERE, ...more }, { isProgram: (file) => programs.includes(file) });
  return result.kind === "found" ? `${result.from}:${result.command}` : result.reason;
}

test("the setting is used before everything else", () => {
  expect(found(["/x/greenline", "/opt/bin/greenline"], { configured: "/x/greenline" })).toBe("setting:/x/greenline");
});

test("a setting that names no program is said, and nothing else is used in its place", () => {
  expect(found(["/opt/bin/greenline"], { configured: "/gone" })).toContain("names /gone, which is no program");
});

test.each([
  ["~/bin/greenline", "/home/u/bin/greenline"],
  ["${workspaceFolder}/.venv/bin/greenline", "/w/.venv/bin/greenline"],
  ["tools/greenline", "/w/tools/greenline"],
])("the setting %s means %s", (configured, program) => {
  expect(found([program], { configured })).toBe(`setting:${program}`);
});

test("PATH comes before the user's folder, and that before the workspace", () => {
  const all = ["/opt/bin/greenline", "/home/u/.local/bin/greenline", "/w/.venv/bin/greenline"];

  expect(found(all)).toBe("PATH:/opt/bin/greenline");
  expect(found(all.slice(1))).toBe("user:/home/u/.local/bin/greenline");
  expect(found(all.slice(2))).toBe("workspace:/w/.venv/bin/greenline");
});

test("a relative folder of PATH is never looked into", () => {
  expect(found(["bin/greenline", "./greenline"], { searchPath: "bin:.:" })).toContain("not on PATH");
});

test("on Windows the program has another name and place", () => {
  const where = { searchPath: "C:\\x;D:\\bin", folders: ["C:\\w"], home: "C:\\u", windows: true };

  expect(found(["D:\\bin\\greenline.exe"], where)).toBe("PATH:D:\\bin\\greenline.exe");
  expect(found(["C:\\w\\.venv\\Scripts\\greenline.exe"], where)).toBe("workspace:C:\\w\\.venv\\Scripts\\greenline.exe");
});

test("the ways to install are offered best first, each with its exact command", () => {
  const ways = installWays("/ext/server/greenline-0.1.0.whl", { uv: true, pipx: true, python: "/usr/bin/python3" }, "/home/u");

  expect(ways.map(({ command }) => command)).toEqual([
    "uv tool install --python 3.11 /ext/server/greenline-0.1.0.whl",
    "pipx install /ext/server/greenline-0.1.0.whl",
    "/usr/bin/python3 -m venv /home/u/.local/share/greenline/venv && " +
      "/home/u/.local/share/greenline/venv/bin/pip install /ext/server/greenline-0.1.0.whl && " +
      "mkdir -p /home/u/.local/bin && ln -sf /home/u/.local/share/greenline/venv/bin/greenline /home/u/.local/bin/greenline",
  ]);
  expect(installWays("x", { uv: false, pipx: false, python: undefined }, "/home/u")).toEqual([]);
});

test("a word of a command that a shell would split or act on is quoted", () => {
  expect(quote("/a b/$(x)'y")).toBe(`'/a b/$(x)'\\''y'`);
});
