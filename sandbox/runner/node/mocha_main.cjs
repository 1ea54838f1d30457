'use strict';
/*
 * Runs mocha as its own command line does, with listeners of ours on the one runner that is made here.
 *
 * Arguments: mocha's own. The reporter is a class of this file that project code has no way to reach.
 */

const { createRequire } = require('node:module');
const path = require('node:path');
const { complaint, open, record, texts } = require('./channel.cjs');
const { Meter, sourceRecord } = require('./meter.cjs');
const { Seal } = require('./seal.cjs');

const put = open();
const root = process.env.GREENLINE_MEASURE;
delete process.env.GREENLINE_MEASURE;
const projectRequire = createRequire(path.join(process.cwd(), 'package.json'));
const meter = root ? new Meter(root) : null;

function fileOf(test) {
  for (let at = test; at; at = at.parent) if (at.file) return at.file;
  return '';
}

function namesOf(test) {
  const names = [];
  for (let at = test; at && !at.root; at = at.parent) names.unshift(at.title);
  return names;
}

function keyOf(test) {
  return [fileOf(test), ...namesOf(test)].join(' > ');
}

let seal;

class Reporter {
  #told = new Set();
  #planned = [];

  constructor(runner) {
    runner.on('start', () => runner.suite.eachTest((test) => this.#plan(runner, test)));
    runner.on('test', (test) => this.#take([]));
    runner.on('test end', (test) => this.#take([keyOf(test)]));
    runner.on('pass', (test) => this.#tell(test, 'passed', ''));
    runner.on('pending', (test) => this.#tell(test, 'skipped', ''));
    runner.on('fail', (test, error) => {
      this.#tell(test, test.type === 'hook' ? 'error' : 'failed', complaint(error));
      process.stdout.write(`not ok: ${test.fullTitle()}\n${complaint(error)}\n`);
    });
    runner.on('end', () => this.#end());
  }

  #plan(runner, test) {
    let wanted = runner._grep.test(test.fullTitle());
    if (runner._invert) wanted = !wanted;
    if (wanted) this.#planned.push(test);
  }

  #take(tests) {
    const scripts = meter?.take();
    if (scripts) put(`{"kind":"calls","tests":${texts(tests)},"scripts":${scripts}}`);
  }

  #tell(test, outcome, message) {
    this.#told.add(test);
    put(record({ names: namesOf(test), outcome, duration: test.duration, file: fileOf(test), message }));
  }

  #end() {
    for (const test of this.#planned) {
      // A hook that fails keeps the tests after it from running, and nobody tells of them.
      if (!this.#told.has(test)) this.#tell(test, 'error', 'The test was not run: a hook before it failed.');
    }
    for (const [url, text] of meter?.sources() ?? []) put(sourceRecord(url, text));
    if (seal.record()) put(seal.record());
    put('{"kind":"end"}');
  }
}

/* A file of mocha's command line; since mocha 12 the package is a module, and these files are not. */
function ofCommandLine(name) {
  try {
    return projectRequire(`mocha/lib/cli/${name}`);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    return projectRequire(`mocha/lib/cli/${name}.cjs`);
  }
}

async function main() {
  const loaded = projectRequire('mocha');
  const Mocha = loaded.default ?? loaded;
  const { Context, Hook, Runnable, Runner, Suite, Test } = Mocha;
  const parts = { Context, Hook, Runnable, Runner, Suite, Test };
  const prototypes = Object.entries(parts).map(([name, part]) => [`${name}.prototype`, part.prototype]);
  seal = new Seal({ ...Object.fromEntries(prototypes), 'Mocha.prototype': Mocha.prototype });
  const { loadOptions } = ofCommandLine('options');
  const { handleRequires, runMocha, validateLegacyPlugin } = ofCommandLine('run-helpers');
  const options = loadOptions(process.argv.slice(2));
  Object.assign(options, { parallel: false, watch: false, bail: false, reporter: 'min' });
  const spec = [...(options.spec ?? []), ...(options._ ?? [])];
  Object.assign(options, { spec: spec.length ? spec : ['./test'], ignore: options.ignore ?? [] });
  options.file ??= [];
  const plugins = await handleRequires(options.require ?? []);
  validateLegacyPlugin(options, 'ui', Mocha.interfaces);
  Object.assign(options, plugins);
  const mocha = new Mocha(options);
  mocha.reporter(Reporter);
  await runMocha(mocha, options);
}

module.exports.main = () =>
  main().catch((error) => {
    process.stderr.write(`${complaint(error)}\n`);
    process.exit(7);
  });
