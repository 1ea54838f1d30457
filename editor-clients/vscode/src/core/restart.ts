/** Whether a server that ended unexpectedly is started again: a few times, never in a loop. Pure. */

export const MAX_RESTARTS = 3;
export const WINDOW_MS = 3 * 60_000;

export interface Decision {
  readonly restart: boolean;
  readonly message: string;
}

export class RestartPolicy {
  private ends: number[] = [];

  /** Record an end at a time in milliseconds, and say what happens now. */
  ended(now: number): Decision {
    this.ends = [...this.ends.filter((time) => now - time < WINDOW_MS), now];
    if (this.ends.length > MAX_RESTARTS) {
      const n = String(this.ends.length);
      return {
        restart: false,
        message: `The Greenline server ended ${n} times within ${String(WINDOW_MS / 60_000)} minutes and is not started again by itself.`,
      };
    }
    return { restart: true, message: "The Greenline server ended unexpectedly and was started again; runs under way can be resumed." };
  }

  /** Forget what happened, as when the user starts the server by hand. */
  reset(): void {
    this.ends = [];
  }
}
