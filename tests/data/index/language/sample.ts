import type { Shape } from './shape'
import { area } from "./geo"

export interface Sized<T> { size: number; measure(by: T): number }
export type Maybe<T> = T | undefined
export enum Colour { Red, Green }
export abstract class Figure implements Shape {
  private name: string = ''
  abstract draw(): void
  size(): number { return area(this.name) }
}
namespace Inner { export function deep(): void {} }
export const make = (n: number): Figure => build(n)
declare function outside(a: string): void
