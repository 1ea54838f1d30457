'use strict';
/*
 * The reporter of `node:test`, loaded into each test file's process before any project code.
 *
 * The first call of the reporter is Node's own (`preload.mjs` waits for it): any later one is an intruder.
 */

const { complaint, open, record, texts } = require('./channel.cjs');
const { Meter, sourceRecord } = require('./meter.cjs');
const { Seal } = require('./seal.cjs');

let put;
let meter;
let seal;
let calls = 0;
let whenInstalled;
const installed = new Promise((resolve) => {
  whenInstalled = resolve;
});

function outcome(type, data) {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  const todo = data.todo !== undefined && data.todo !== false;
  if (type === 'test:pass') return todo ? 'xpassed' : 'passed';
  return todo ? 'xfailed' : 'failed';
}

function tell(type, data, names) {
  const details = data.details ?? {};
  const isSuite = details.type === 'suite';
  // A suite is no test; it is told of where it fails by itself, in a hook of its own.
  if (isSuite && (type === 'test:pass' || details.error?.failureType === 'subtestsFailed')) return;
  const path = [];
  for (let i = 0; i < data.nesting; i += 1) path[i] = names[i];
  path[data.nesting] = data.name;
  const note = data.skip || data.todo;
  put(
    record({
      names: path,
      outcome: isSuite ? 'error' : outcome(type, data),
      duration: details.duration_ms,
      line: data.line,
      file: data.file,
      message: type === 'test:fail' ? complaint(details.error) : typeof note === 'string' ? note : '',
    }),
  );
}

const reporter = (source) => {
  calls += 1;
  if (calls > 1) {
    put('{"kind":"intruder"}');
    return (async function* none() {})();
  }
  whenInstalled();
  return (async function* follow() {
    const names = [];
    for await (const event of source) {
      const { type, data } = event;
      if (type === 'test:start') names[data.nesting] = data.name;
      else if (type === 'test:pass' || type === 'test:fail') tell(type, data, names);
      if (type === 'test:diagnostic' && data.nesting === 0) yield `# ${data.message}\n`;
      if (type === 'test:fail') yield `not ok: ${data.name}\n${complaint(data.details?.error)}\n`;
    }
    for (const [url, text] of meter?.sources() ?? []) put(sourceRecord(url, text));
    if (seal.record()) put(seal.record());
    put('{"kind":"end"}');
  })();
};

/* Which functions each test calls; tests that run at the same time share them. */
function measure(hooks) {
  const active = [];
  const take = () => {
    const scripts = meter.take();
    if (scripts) put(`{"kind":"calls","tests":${texts(active)},"scripts":${scripts}}`);
  };
  hooks.beforeEach((test) => {
    take();
    active.push(test?.fullName ?? test?.name ?? '');
  });
  hooks.afterEach((test) => {
    take();
    const at = active.lastIndexOf(test?.fullName ?? test?.name ?? '');
    if (at >= 0) active.splice(at, 1);
  });
}

module.exports = reporter;
module.exports.start = async (hooks, root) => {
  const opened = open();
  if (!opened) return;
  put = opened;
  seal = new Seal({ 'node:test': require('node:test') });
  hooks.before(() => {});
  await installed;
  if (!root) return;
  meter = new Meter(root);
  measure(hooks);
};
