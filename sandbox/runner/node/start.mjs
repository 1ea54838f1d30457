/*
 * Starts what was loaded before the project's own preloads, with `--import`: the channel was opened then.
 *
 * Usage: `node --import FILE [the project's options] start.mjs FILE [arguments]`.
 */
const [file] = process.argv.splice(2, 1);
const { default: program } = await import(file);
await program.main();
