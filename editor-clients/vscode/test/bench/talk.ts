/** Orders on standard input, a line of JSON each, answered by a line on standard output; the end of input ends all. */
import { createInterface } from "node:readline";
import type { Page } from "playwright-core";
import { picture } from "../ui/host.ts";

export type Order = Readonly<Record<string, unknown>>;
/** `do` of an order → what is done and answered. */
export type Acts = Readonly<Record<string, (order: Order) => Promise<object>>>;

/** Answer until the input ends, also amid an order; what goes wrong is answered as `failed`, with a picture of the page. */
export async function talk(acts: Acts, page: Page): Promise<void> {
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve));
  await Promise.race([ended, answerAll(acts, page)]);
}

async function answerAll(acts: Acts, page: Page): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await answer(acts, JSON.parse(line) as Order, page))}\n`);
  }
}

async function answer(acts: Acts, order: Order, page: Page): Promise<object> {
  const name = String(order["do"]);
  const act = acts[name];
  if (act === undefined) {
    return { failed: `there is no ${name}` };
  }
  try {
    return await act(order);
  } catch (error) {
    await picture(page, `bench-${name}`).catch(() => undefined);
    const said = await page.locator(".notification-toast").allInnerTexts().catch(() => []);
    return { failed: [String(error), ...said].join("\n") };
  }
}
