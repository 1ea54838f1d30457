// Bundles the extension into one file; everything but VS Code itself goes in.
import { build } from "esbuild";

await build({
  entryPoints: ["src/extension.ts"],
  bundle: true,
  outfile: "dist/extension.js",
  external: ["vscode"],
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: process.env.GREENLINE_DEBUG === undefined,
  sourcemap: process.env.GREENLINE_DEBUG === undefined ? false : "inline",
  legalComments: "linked",
});
