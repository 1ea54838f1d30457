/** What is said of a file that was changed on the disk while changes to it wait. Pure. */

/** Return one sentence; `gone` of the `waiting` changes have lost the text that they replace. */
export function rereadSentence(name: string, waiting: number, gone: number): string {
  const begun = `${name} changed on the disk and was read again;`;
  if (gone === 0) {
    return `${begun} ${waiting === 1 ? "its proposed change is" : "its proposed changes are"} placed on the new text.`;
  }
  const which = gone === 1 ? "a proposed change replaces" : `${String(gone)} proposed changes replace`;
  const them = gone === 1 ? "it" : "them";
  return `${begun} the text that ${which} is gone: reject ${them}, or take back what changed the file.`;
}
