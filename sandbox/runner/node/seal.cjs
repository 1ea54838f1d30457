'use strict';
/*
 * Remembers functions of Node's and of a runner's before project code runs, to tell later which were replaced.
 *
 * A project that replaces what runs its tests, or what they assert with, could call every test passed.
 */

const assert = require('node:assert');
const events = require('node:events');
const fs = require('node:fs');
const stream = require('node:stream');
const { texts } = require('./channel.cjs');

const ownKeys = Reflect.ownKeys;
const describe = Object.getOwnPropertyDescriptor;
const MAX_NAMES = 20;

const NODE = {
  assert,
  'assert.strict': assert.strict,
  'AssertionError.prototype': assert.AssertionError.prototype,
  'EventEmitter.prototype': events.prototype,
  'Stream.prototype': stream.prototype,
  'Readable.prototype': stream.Readable.prototype,
  'Duplex.prototype': stream.Duplex.prototype,
  'Writable.prototype': stream.Writable.prototype,
  fs,
  process,
  JSON,
};

class Seal {
  #kept = [];

  constructor(more) {
    for (const [name, owner] of Object.entries({ ...NODE, ...more })) {
      for (const key of ownKeys(owner)) {
        const value = describe(owner, key)?.value;
        if (typeof value === 'function') this.#kept.push([`${name}.${String(key)}`, owner, key, value]);
      }
    }
  }

  /** Return a record of the functions that are others now, or an empty text. */
  record() {
    const found = [];
    for (let i = 0; i < this.#kept.length && found.length < MAX_NAMES; i += 1) {
      const [name, owner, key, value] = this.#kept[i];
      if (describe(owner, key)?.value !== value) found[found.length] = name;
    }
    return found.length ? `{"kind":"replaced","names":${texts(found)}}` : '';
  }
}

module.exports = { Seal };
