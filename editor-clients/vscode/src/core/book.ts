/** The proposals that the server told of, and the hunks of each file that still wait. Pure. */
import { byPlace, touches } from "./proposed";
import type { Hunk, Proposal } from "./wire";

export interface Waiting {
  readonly proposal: Proposal;
  readonly hunk: Hunk;
}

export class Book {
  private readonly proposals = new Map<string, Proposal>();

  /** Hunks of files that are not `here` are kept and not shown. */
  constructor(private readonly isHere: (uri: string) => boolean = () => true) {}

  /** Take a proposal as it is now; returns the URIs of files whose pending hunks may have changed. */
  put(proposal: Proposal): string[] {
    const before = this.proposals.get(proposal.id);
    this.proposals.delete(proposal.id);
    if (proposal.hunks.some(isWaiting)) {
      this.proposals.set(proposal.id, proposal);
    }
    const files = [...(before?.hunks ?? []), ...proposal.hunks].map((hunk) => hunk.uri);
    return [...new Set(files)];
  }

  /** Forget everything, as after the server's end; returns the URIs of the files that had hunks. */
  clear(): string[] {
    const files = this.files();
    this.proposals.clear();
    return files;
  }

  /** Forget the proposals that have no hunk here any more; the server tells of them when they are back. */
  forgetElsewhere(): void {
    for (const proposal of [...this.proposals.values()]) {
      if (!proposal.hunks.some(({ uri }) => this.isHere(uri))) {
        this.proposals.delete(proposal.id);
      }
    }
  }

  /** Return the proposals of which something waits, newest first. */
  open(): Proposal[] {
    return [...this.proposals.values()].reverse();
  }

  get(id: string): Proposal | undefined {
    return this.proposals.get(id);
  }

  /** Return the waiting hunks of a file from top to bottom, conflicted ones included. */
  of(uri: string): Waiting[] {
    const all = this.waiting().filter(({ hunk }) => hunk.uri === uri);
    const order = byPlace(all.map(({ hunk }) => hunk));
    return all.sort((a, b) => order.indexOf(a.hunk) - order.indexOf(b.hunk));
  }

  /** Return the waiting hunk that touches a line, or undefined. */
  at(uri: string, line: number): Waiting | undefined {
    return this.of(uri).find(({ hunk }) => touches(hunk, line));
  }

  find(proposalId: string, hunkId: string): Waiting | undefined {
    const proposal = this.proposals.get(proposalId);
    const hunk = proposal?.hunks.find((each) => each.id === hunkId);
    return proposal && hunk && isWaiting(hunk) ? { proposal, hunk } : undefined;
  }

  /** Return the URIs of the files that have waiting hunks, sorted. */
  files(): string[] {
    return [...new Set(this.waiting().map(({ hunk }) => hunk.uri))].sort();
  }

  /** Return how many hunks wait. */
  count(): number {
    return this.waiting().length;
  }

  private waiting(): Waiting[] {
    return this.open().flatMap((proposal) =>
      proposal.hunks.filter((hunk) => isWaiting(hunk) && this.isHere(hunk.uri)).map((hunk) => ({ proposal, hunk })),
    );
  }
}

/** Return the ids of the hunks that a hunk needs and that still wait. */
export function unmet({ proposal, hunk }: Waiting): string[] {
  return proposal.hunks.filter((other) => hunk.needs?.includes(other.id) && isWaiting(other)).map((other) => other.id);
}

/** Return whether a hunk waits for a decision. */
export function isWaiting(hunk: Hunk): boolean {
  return hunk.state === "pending" || hunk.state === "conflicted";
}
