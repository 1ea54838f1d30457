import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: {
          name: "ui",
          include: ["test/ui/**/*.test.ts"],
          // The tests that run inside the extension host are named, and never called, outside of it.
          alias: { vscode: new URL("test/inhost/outside.ts", import.meta.url).pathname },
          // One real VS Code at a time: the machine has two cores.
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 240_000,
          sequence: { concurrent: false },
        },
      },
    ],
    passWithNoTests: false,
  },
});
