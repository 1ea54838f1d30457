/** What of the file system can be run. */
import * as fs from "node:fs";

/** Return whether a path is a file that can be executed. */
export function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
