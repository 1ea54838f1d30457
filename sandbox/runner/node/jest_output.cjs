'use strict';
/* Prints the failures for people: what counts is told by `jest_runner.cjs`. */

module.exports = class Output {
  onTestResult(_, result) {
    if (result.failureMessage) process.stdout.write(`${result.failureMessage}\n`);
  }
};
