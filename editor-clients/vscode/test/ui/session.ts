/** One VS Code and one window for all tests of a file, with a picture of each test that fails. */
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { openBrowser, picture, startHost, type Host, type HostOptions } from "./host.ts";
import { Window } from "./window.ts";

/** Open the window before the tests, hand it to `begin`, and close everything after them; `options` are asked then. */
export function inWindow(options: () => HostOptions | Promise<HostOptions>, begin: (window: Window) => void | Promise<void>): void {
  let host: Host | undefined;
  let browser: Browser | undefined;
  let window: Window | undefined;

  beforeAll(async () => {
    host = await startHost(await options());
    const opened = await openBrowser(host.url);
    browser = opened.browser;
    window = new Window(opened.page, host);
    await begin(window);
  });

  afterEach(async (context) => {
    if (window !== undefined && context.task.result?.state === "fail") {
      await picture(window.page, `failed-${context.task.name.replace(/\W+/g, "-")}`);
    }
  });

  afterAll(async () => {
    await browser?.close();
    await host?.stop();
  });
}
