// Copies the best pictures of the last test run to docs/images, where the documentation shows them.
import { copyFileSync, mkdirSync } from "node:fs";

const to = new URL("../../../docs/images/", import.meta.url);
mkdirSync(to, { recursive: true });
for (const name of ["inline-review", "inline-diff", "plan", "evidence-dark", "multi-diff", "runs"]) {
  copyFileSync(new URL(`../artefacts/${name}.png`, import.meta.url), new URL(`vscode-${name}.png`, to));
}
