'use strict';
/*
 * The way to the driver: lines that begin with a secret, through a pipe that only the driver reads.
 *
 * `open` answers once, before any project code runs, and hands out the only means of sending; the secret lives
 * in that closure and nowhere else. All that sending needs is bound here, before project code can replace it.
 */

const fs = require('node:fs');

const readSync = fs.readSync;
const writeSync = fs.writeSync;
const closeSync = fs.closeSync;
const stringify = JSON.stringify;
const bufferFrom = Buffer.from;
const MAX_MESSAGE = 4000;

let isOpen = false;

/** Return what sends, or null where this process has no channel or it was opened before. */
function open() {
  const numbers = process.env.GREENLINE_CHANNEL;
  delete process.env.GREENLINE_CHANNEL;
  if (!numbers || isOpen) return null;
  isOpen = true;
  const [reader, descriptor] = numbers.split(',').map(Number);
  const buffer = Buffer.alloc(64);
  let length = 0;
  for (let n = -1; n !== 0; length += n) n = readSync(reader, buffer, length, buffer.length - length, null);
  closeSync(reader);
  const secret = buffer.toString('latin1', 0, length);
  return (text) => {
    const data = bufferFrom(`${secret} ${text}\n`);
    for (let done = 0; done < data.length; ) {
      try {
        done += writeSync(descriptor, data, done, data.length - done);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
}

// An array or object of the project's could have a `toJSON` by now; texts and numbers have none.
function texts(list) {
  let found = '';
  for (let i = 0; i < list.length; i += 1) found += (i ? ',' : '') + stringify(String(list[i]));
  return `[${found}]`;
}

function shorten(text) {
  if (text.length <= MAX_MESSAGE) return text;
  return `${text.slice(0, MAX_MESSAGE / 2)}\n…\n${text.slice(-MAX_MESSAGE / 2)}`;
}

function complaint(error) {
  try {
    const cause = error?.cause ?? error;
    return shorten(String(cause?.stack || cause?.message || cause));
  } catch {
    return 'The error cannot be shown.';
  }
}

/** Return the record of one test as JSON; `test` is {names, outcome, duration (ms), file, line, message}. */
function record(test) {
  return (
    `{"kind":"test","names":${texts(test.names)},"outcome":${stringify(String(test.outcome))}` +
    `,"duration":${Number(test.duration) || 0},"line":${Number(test.line) || 0}` +
    `,"file":${stringify(String(test.file ?? ''))},"message":${stringify(shorten(String(test.message ?? '')))}}`
  );
}

module.exports = { complaint, open, record, texts };
