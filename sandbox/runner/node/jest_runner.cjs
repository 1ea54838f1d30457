'use strict';
/*
 * jest's test runner: jest-circus, with what each test of a file comes to told to the driver at once.
 *
 * Loaded by `jest_main.cjs` first, which starts it; jest then requires the same module.
 */

const { complaint, record, texts } = require('./channel.cjs');
const { Meter, sourceRecord } = require('./meter.cjs');

const stringify = JSON.stringify;
let put;
let meter;
let circus;
let isStarted = false;

const OUTCOMES = { passed: 'passed', failed: 'failed', pending: 'skipped', todo: 'skipped', skipped: 'skipped' };

function keyOf(file, test) {
  const names = [];
  for (let at = test; at && at.name !== 'ROOT_DESCRIBE_BLOCK'; at = at.parent) names.unshift(at.name);
  return [file, ...names].join(' > ');
}

function sources() {
  for (const [url, text] of meter?.sources() ?? []) put(sourceRecord(url, text));
}

/* Hears what jest-circus says of each test, before and beside the project's own environment. */
function listen(environment, file) {
  const own = environment.handleTestEvent?.bind(environment);
  const take = (tests) => {
    const scripts = meter?.take();
    if (scripts) put(`{"kind":"calls","tests":${texts(tests)},"scripts":${scripts}}`);
  };
  environment.handleTestEvent = async (event, state) => {
    if (event.name === 'test_start') take([]);
    if (event.name === 'test_done') take([keyOf(file, event.test)]);
    if (own) await own(event, state);
  };
}

module.exports = async (globalConfig, config, environment, runtime, testPath, sendMessage) => {
  listen(environment, testPath);
  let result;
  try {
    result = await circus(globalConfig, config, environment, runtime, testPath, sendMessage);
  } catch (error) {
    put(`{"kind":"broken","file":${stringify(testPath)},"message":${stringify(complaint(error))}}`);
    throw error;
  }
  for (const test of result.testResults) {
    const names = [...test.ancestorTitles, test.title];
    put(
      record({
        names,
        outcome: OUTCOMES[test.status] ?? 'error',
        duration: test.duration ?? 0,
        file: testPath,
        line: test.location?.line,
        message: test.failureMessages.join('\n'),
      }),
    );
  }
  if (result.testExecError) {
    put(`{"kind":"broken","file":${stringify(testPath)},"message":${stringify(complaint(result.testExecError))}}`);
  }
  sources();
  return result;
};

/** Begin, once; returns what to call when all has run. */
module.exports.start = (send, root, runTests) => {
  if (isStarted) return null;
  isStarted = true;
  put = send;
  meter = root ? new Meter(root) : null;
  circus = runTests;
  return sources;
};
