'use strict';
/*
 * Runs jest in this one process, each test file by jest-circus within our test runner.
 *
 * Arguments: jest's own. A test file runs in a context of its own, which this file's closure is out of reach of.
 */

const path = require('node:path');
const { createRequire } = require('node:module');
const { open } = require('./channel.cjs');
const runner = require('./jest_runner.cjs');
const { Seal } = require('./seal.cjs');

const put = open();
const root = process.env.GREENLINE_MEASURE;
delete process.env.GREENLINE_MEASURE;
const projectRequire = createRequire(path.join(process.cwd(), 'package.json'));
// Each package finds its own dependencies: not every package manager puts them all side by side.
const within = (require, name) => createRequire(require.resolve(name));
const cliRequire = within(within(projectRequire, 'jest/package.json'), 'jest-cli/package.json');
const circus = within(within(cliRequire, '@jest/core'), 'jest-config')('jest-circus/runner');
const finish = runner.start(put, root, circus.default ?? circus);

const seal = new Seal({});

async function main() {
  // jest 28 keeps them to itself.
  const yargsOptions = cliRequire('.').yargsOptions ?? cliRequire('./build/cli/args').options;
  const yargs = cliRequire('yargs');
  const given = process.argv.slice(2);
  const argv = yargs(given).options(yargsOptions).parserConfiguration({ 'camel-case-expansion': true }).argv;
  Object.assign(argv, {
    $0: 'jest',
    bail: 0,
    ci: true,
    collectCoverage: false,
    coverage: false,
    coverageThreshold: '{}',
    forceExit: false,
    maxWorkers: 1,
    passWithNoTests: true,
    reporters: [path.join(__dirname, 'jest_output.cjs')],
    runInBand: true,
    testRunner: path.join(__dirname, 'jest_runner.cjs'),
    watch: false,
    watchAll: false,
    watchman: false,
  });
  const { runCLI } = cliRequire('@jest/core');
  const { results } = await runCLI(argv, argv.projects?.length ? argv.projects : [process.cwd()]);
  finish();
  if (seal.record()) put(seal.record());
  put('{"kind":"end"}');
  process.exitCode = results.success ? 0 : 1;
}

module.exports.main = () =>
  main().catch((error) => {
    process.stderr.write(`${error?.stack ?? error}\n`);
    process.exit(7);
  });
