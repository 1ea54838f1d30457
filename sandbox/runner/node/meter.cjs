'use strict';
/*
 * Which functions were called since the last look, by the engine's own counters; no secret is in here.
 */

const { Session } = require('node:inspector');
const { pathToFileURL } = require('node:url');

const stringify = JSON.stringify;

class Meter {
  #post;
  #roots;
  #failed = false;
  #seen = new Map();

  constructor(root) {
    const session = new Session();
    session.connect();
    this.#post = session.post.bind(session);
    // Scripts that a runner compiles itself bear plain paths.
    this.#roots = [`${pathToFileURL(root).href}/`, `${root}/`];
    this.#post('Profiler.enable');
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Return what was called since the last look as a JSON array of scripts; empty where nothing was. */
  take() {
    let text = '';
    if (this.#failed) return text;
    this.#post('Profiler.takePreciseCoverage', (error, found) => {
      if (error) {
        this.#failed = true;
        return;
      }
      const scripts = found.result;
      for (let i = 0; i < scripts.length; i += 1) {
        const { scriptId, url, functions } = scripts[i];
        if (!this.#isProjects(url)) continue;
        this.#seen.set(url, scriptId);
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
    return text && `[${text}]`;
  }

  /** Return the texts of scripts that were seen since the last call, as the engine has them: [url, text]. */
  sources() {
    const found = [];
    if (!this.#seen.size) return found;
    this.#post('Debugger.enable', { maxScriptsCacheSize: 0 });
    for (const [url, scriptId] of this.#seen) {
      this.#post('Debugger.getScriptSource', { scriptId }, (error, source) => {
        if (!error) found.push([url, source.scriptSource]);
      });
    }
    this.#post('Debugger.disable');
    this.#seen.clear();
    return found;
  }

  #isProjects(url) {
    return this.#roots.some((root) => url.startsWith(root)) && !url.includes('/node_modules/');
  }
}

/** Return a JSON array of texts' records. */
function sourceRecord(url, text) {
  return `{"kind":"source","url":${stringify(url)},"text":${stringify(text)}}`;
}

module.exports = { Meter, sourceRecord };
