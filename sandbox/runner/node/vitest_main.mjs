/*
 * Runs vitest by its own programming interface, with a reporter of ours in this process.
 *
 * Arguments: vitest's own. Tests run in processes of vitest's, which tell this one how they went.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const { complaint, open, record, texts } = require('./channel.cjs');
const { sourceRecord } = require('./meter.cjs');

const put = open();
const setup = process.env.GREENLINE_SETUP;
delete process.env.GREENLINE_SETUP;
const stringify = JSON.stringify;
const projectRequire = createRequire(path.join(process.cwd(), 'package.json'));
const OUTCOMES = { pass: 'passed', fail: 'failed', skip: 'skipped', todo: 'skipped' };
const seen = new Set();

function tell(file, task, names) {
  const path = [...names, task.name];
  if (task.type === 'suite') {
    for (const inner of task.tasks) tell(file, inner, path);
    const errors = task.result?.errors ?? [];
    // A suite is no test; it is told of where it fails by itself, in a hook of its own.
    if (errors.length) {
      put(record({ names: path, outcome: 'error', file: file.filepath, message: complaint(errors[0]) }));
    }
    return;
  }
  const state = task.mode === 'skip' || task.mode === 'todo' ? task.mode : task.result?.state;
  const errors = task.result?.errors ?? [];
  put(
    record({
      names: path,
      outcome: OUTCOMES[state] ?? 'error',
      duration: task.result?.duration ?? 0,
      file: file.filepath,
      line: task.location?.line,
      message: errors.length ? complaint(errors[0]) : '',
    }),
  );
  const calls = task.meta?.greenlineCalls;
  if (typeof calls === 'string' && calls) {
    put(`{"kind":"calls","tests":${texts([[file.filepath, ...path].join(' > ')])},"scripts":${calls}}`);
  }
}

function finish(files, errors) {
  for (const file of files) {
    for (const [url, text] of Object.entries(file.meta?.greenlineSources ?? {})) {
      if (!seen.has(url)) put(sourceRecord(url, text));
      seen.add(url);
    }
    for (const task of file.tasks) tell(file, task, []);
    const error = file.result?.errors?.[0];
    if (error) {
      put(`{"kind":"broken","file":${stringify(file.filepath)},"message":${stringify(complaint(error))}}`);
      process.stdout.write(`${complaint(error)}\n`);
    }
  }
  for (const error of errors) {
    put(`{"kind":"broken","file":"","message":${stringify(complaint(error))}}`);
  }
  put('{"kind":"end"}');
}

let isFinished = false;

// vitest 1 and 2 call the first, 4 calls the second, and 3 calls both.
const reporter = {
  onFinished(files = [], errors = []) {
    if (!isFinished) finish(files, errors);
    isFinished = true;
  },
  onTestRunEnd(modules = [], errors = []) {
    this.onFinished(
      modules.map((module) => module.task),
      errors,
    );
  },
};

async function main() {
  const folder = path.dirname(projectRequire.resolve('vitest/package.json'));
  const node = await import(pathToFileURL(path.join(folder, 'dist', 'node.js')).href);
  const { filter, options } = node.parseCLI(['vitest', 'run', ...process.argv.slice(2)]);
  const test = { includeTaskLocation: true, ...(setup ? { setupFiles: [setup] } : {}) };
  await node.startVitest(
    'test',
    filter,
    {
      ...options,
      bail: 0,
      coverage: { enabled: false },
      passWithNoTests: true,
      reporters: [reporter],
      run: true,
      typecheck: { enabled: false },
      ui: false,
      watch: false,
    },
    // The project's own folder of caches lies in its `node_modules`, which nobody can write to.
    { cacheDir: '/tmp/greenline-vite', test },
  );
}

export default { main };
