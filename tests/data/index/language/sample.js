import read, { write as put } from './io'
import * as all from "pkg/all"
export { thing } from '../thing'
const fs = require('fs')

/** Loads a name. */
export const load = async (name) => read(fs.open(name))
export let count = 0
function helper() { return new Store(1) }
export default class Box extends Base {
  #items = []
  static size = 2
  put(item) { this.items.push(item) }
}
describe('box', () => { it('holds', () => { expect(helper()).toBe(1) }) })
