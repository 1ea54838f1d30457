/** How long a person waits, from a key to what it brings on the screen; the clock is the page's own. */
import type { Page } from "playwright-core";

export interface Sight {
  /** Of the elements among which it is looked for. */
  readonly selector: string;
  /** What one of them holds, all of it. */
  readonly texts: readonly string[];
}

declare global {
  // An interface that is merged must have the name of the one that it adds to.
  interface Window {
    greenlineBench?: Promise<number | string>;
  }
}

const LIMIT_MS = 30_000;

/** Press a key and return the milliseconds until a sight, which is not there yet, is drawn.
 *
 * They begin with the key's own time, which the browser gives it before the page hears of it. What is there is looked
 * at right after each frame, so they end with the frame that shows it; nothing of the way to the test counts.
 */
export async function timeToSight(page: Page, key: string, sight: Sight): Promise<number> {
  await page.evaluate(watch, { ...sight, limitMs: LIMIT_MS });
  await page.keyboard.press(key);
  const ended = await page.evaluate(() => window.greenlineBench);
  if (typeof ended !== "number") {
    throw new Error(`${key}: ${ended ?? "nothing was watched"}`);
  }
  return ended;
}

/** Runs in the page: begin to look for a sight, and leave a promise of the milliseconds or of what is wrong. */
function watch({ selector, texts, limitMs }: Sight & { limitMs: number }): void {
  const found = (): boolean =>
    [...document.querySelectorAll<HTMLElement>(selector)].some((element) => {
      const text = element.textContent.replace(/\u00a0/g, " ");
      return texts.every((wanted) => text.includes(wanted)) && element.checkVisibility({ visibilityProperty: true });
    });
  const begun = performance.now();
  let asked: number | undefined;
  const hear = (event: KeyboardEvent): void => {
    if (!["Control", "Alt", "Shift", "Meta"].includes(event.key)) {
      asked ??= event.timeStamp;
    }
  };
  addEventListener("keydown", hear, true);
  window.greenlineBench = new Promise((resolve) => {
    const end = (what: number | string): void => {
      removeEventListener("keydown", hear, true);
      resolve(what);
    };
    if (found()) {
      end(`it was there before: ${texts.join(", ")}`);
      return;
    }
    const channel = new MessageChannel();
    channel.port1.onmessage = (): void => {
      const now = performance.now();
      if (asked !== undefined && found()) {
        end(now - asked);
      } else if (now - begun > limitMs) {
        const there = [...document.querySelectorAll(selector)].map((element) => element.textContent);
        end(`not drawn within ${String(limitMs)} ms: ${texts.join(", ")}; there is: ${there.join(" | ").slice(0, 2000)}`);
      } else {
        requestAnimationFrame(look);
      }
    };
    // A message that a frame sends is heard once that frame was drawn.
    const look = (): void => {
      channel.port2.postMessage(undefined);
    };
    requestAnimationFrame(look);
  });
}
