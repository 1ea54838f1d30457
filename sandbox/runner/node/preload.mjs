/*
 * Loaded before a test file, with `--import`: takes the channel, and lets no project code run before Node has
 * called our reporter. Processes that a test starts get nothing of it.
 */
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const hasChannel = Boolean(process.env.GREENLINE_CHANNEL);
const root = process.env.GREENLINE_MEASURE ?? '';
delete process.env.GREENLINE_MEASURE;
process.execArgv = process.execArgv.filter((option) => !option.includes('/opt/greenline/runner/'));

if (hasChannel && isMainThread) {
  const { before, beforeEach, afterEach } = await import('node:test');
  const reporter = createRequire(import.meta.url)('./reporter.cjs');
  await reporter.start({ before, beforeEach, afterEach }, root);
}
