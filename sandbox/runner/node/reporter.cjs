'use strict';
/*
 * The reporter of `node:test`, loaded into each test file's process before any project code.
 *
 * What it learns goes through a pipe that only the driver reads, each line with a secret that lives in this
 * closure and nowhere else. All that sending needs is bound here, before project code can replace it.
 * The first call of the reporter is Node's own (`preload.mjs` waits for it): any later one is an intruder.
 */

const fs = require('node:fs');
const { Session } = require('node:inspector');

const readSync = fs.readSync;
const writeSync = fs.writeSync;
const closeSync = fs.closeSync;
const stringify = JSON.stringify;
const byteLength = Buffer.byteLength;
const bufferFrom = Buffer.from;
const MAX_MESSAGE = 4000;

let descriptor = -1;
let secret = '';
let calls = 0;
let whenInstalled;
const installed = new Promise((resolve) => {
  whenInstalled = resolve;
});

function open(numbers) {
  const reader = Number(numbers[0]);
  const buffer = Buffer.alloc(64);
  let length = 0;
  for (;;) {
    const n = readSync(reader, buffer, length, buffer.length - length, null);
    if (n === 0) break;
    length += n;
  }
  closeSync(reader);
  secret = buffer.toString('latin1', 0, length);
  descriptor = Number(numbers[1]);
}

function put(text) {
  let data = bufferFrom(`${secret} ${text}\n`);
  let done = 0;
  while (done < data.length) {
    try {
      done += writeSync(descriptor, data, done, data.length - done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

// An array or object of the project's could have a `toJSON` by now; texts and numbers have none.
const texts = (list) => {
  let found = '';
  for (let i = 0; i < list.length; i += 1) found += (i ? ',' : '') + stringify(String(list[i]));
  return `[${found}]`;
};

const shorten = (text) =>
  text.length <= MAX_MESSAGE
    ? text
    : `${text.slice(0, MAX_MESSAGE / 2)}\n…\n${text.slice(-MAX_MESSAGE / 2)}`;

function complaint(error) {
  try {
    const cause = error.cause ?? error;
    return shorten(String((cause && cause.stack) || cause));
  } catch {
    return 'The error cannot be shown.';
  }
}

function outcome(type, data) {
  if (data.skip !== undefined && data.skip !== false) return 'skipped';
  const todo = data.todo !== undefined && data.todo !== false;
  if (type === 'test:pass') return todo ? 'xpassed' : 'passed';
  return todo ? 'xfailed' : 'failed';
}

function tell(type, data, names) {
  const details = data.details ?? {};
  const error = details.error;
  const isSuite = details.type === 'suite';
  // A suite is no test; it is told of where it fails by itself, in a hook of its own.
  if (isSuite && (type === 'test:pass' || error?.failureType === 'subtestsFailed')) return;
  const path = [];
  for (let i = 0; i < data.nesting; i += 1) path[i] = names[i];
  path[data.nesting] = data.name;
  const how = isSuite ? 'error' : outcome(type, data);
  const message = type === 'test:fail' ? complaint(error) : String(data.skip || data.todo || '');
  put(
    `{"kind":"test","names":${texts(path)},"outcome":"${how}","duration":${Number(details.duration_ms) || 0}` +
      `,"line":${Number(data.line) || 0},"file":${stringify(String(data.file ?? ''))}` +
      `,"message":${stringify(message === 'true' ? '' : message)}}`,
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
    put('{"kind":"end"}');
  })();
};

/* Which functions each test calls, from the engine's own counters, taken where a test begins and ends. */
function measure(hooks, root) {
  const session = new Session();
  session.connect();
  const post = session.post.bind(session);
  const under = `file://${encodeURI(root)}/`;
  let failed = false;
  const active = [];
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

  const take = () => {
    if (failed) return;
    let text = '';
    post('Profiler.takePreciseCoverage', (error, found) => {
      if (error) {
        failed = true;
        return;
      }
      const scripts = found.result;
      for (let i = 0; i < scripts.length; i += 1) {
        const { url, functions } = scripts[i];
        if (!url.startsWith(under) || url.includes('/node_modules/')) continue;
        let inside = '';
        for (let f = 0; f < functions.length; f += 1) {
          const { ranges } = functions[f];
          let row = '';
          for (let r = 0; r < ranges.length; r += 1) {
            const range = ranges[r];
            row += `${r ? ',' : ''}${range.startOffset},${range.endOffset},${range.count ? 1 : 0}`;
          }
          inside += `${f ? ',' : ''}[${row}]`;
        }
        text += `${text ? ',' : ''}{"url":${stringify(url)},"functions":[${inside}]}`;
      }
    });
    if (text) put(`{"kind":"calls","tests":${texts(active)},"scripts":[${text}]}`);
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
module.exports.start = (numbers, hooks, root) => {
  if (descriptor >= 0) {
    put('{"kind":"intruder"}');
    return installed;
  }
  open(numbers);
  void byteLength;
  hooks.before(() => {});
  return installed.then(() => {
    if (root) measure(hooks, root);
  });
};
