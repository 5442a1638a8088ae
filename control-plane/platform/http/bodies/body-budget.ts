import type { ServerResponse } from 'node:http';
import { Problem } from '../problem.ts';

/** The memory budget for bodies of one kind of caller while they are read and handled. Shared by all their requests. */
export type BodyBudget = {
  /** Most bytes of one body. */
  readonly bodyBytesMax: number;
  /** Most bytes of all bodies at once. */
  readonly bytesMax: number;
  /** Most bodies of one caller at once. */
  readonly perCallerMax: number;
  bytes: number;
  readonly callers: Map<string, number>;
  /** Bytes of each share that has any. */
  readonly shares: Map<string, number>;
};

/** Whose body it is: requests are limited by `caller`, bytes by `share`. */
export type BodyOwner = { caller: string; share: string };

/** A body's part of its budget. */
export type HeldBody = {
  /** Charges bytes before they are stored. Throws `unavailable` if there is no room. */
  take(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
};

const mib = 1_048_576;

export function createBodyBudget(limits: Pick<BodyBudget, 'bodyBytesMax' | 'bytesMax' | 'perCallerMax'>): BodyBudget {
  return { ...limits, bytes: 0, callers: new Map(), shares: new Map() };
}

/** Of the API: bodies are parsed to some times their size. */
export function apiBodyBudget(): BodyBudget {
  return createBodyBudget({ bodyBytesMax: mib, bytesMax: 64 * mib, perCallerMax: Number.POSITIVE_INFINITY });
}

/** Of forms that anybody may post: each address has its part. */
export function formBodyBudget(): BodyBudget {
  return createBodyBudget({ bodyBytesMax: mib / 64, bytesMax: 16 * mib, perCallerMax: 32 });
}

/**
 * True if a share that holds `held` bytes may take more: at most as much as is free after it. However many shares take
 * all they can, another one of the same size still fits.
 */
export function mayTake(held: number, more: number, budget: Pick<BodyBudget, 'bytes' | 'bytesMax'>): boolean {
  return held + more <= budget.bytesMax - budget.bytes - more;
}

/**
 * Opens a body. Throws `rate_limited` if its caller has too many. A Content-Length alone takes nothing, or callers
 * could exhaust the budget without sending.
 */
export function holdBody(budget: BodyBudget, { caller, share }: BodyOwner): HeldBody {
  const open = budget.callers.get(caller) ?? 0;
  if (open >= budget.perCallerMax)
    throw new Problem('rate_limited', { retryAfter: 1, detail: 'too many of your requests are open at once' });
  budget.callers.set(caller, open + 1);
  let taken = 0;
  let isHeld = true;
  return {
    take: bytes => {
      const held = budget.shares.get(share) ?? 0;
      if (!isHeld || !mayTake(held, bytes, budget))
        throw new Problem('unavailable', { retryAfter: 1, detail: 'too many requests are being read at once' });
      budget.bytes += bytes;
      budget.shares.set(share, held + bytes);
      taken += bytes;
    },
    release: () => {
      if (!isHeld) return;
      isHeld = false;
      budget.bytes -= taken;
      lower(budget.shares, share, taken);
      lower(budget.callers, caller, 1);
    },
  };
}

/** The same until the response is sent, or its client is gone. */
export function holdBodyFor(response: ServerResponse, budget: BodyBudget, owner: BodyOwner): HeldBody {
  const held = holdBody(budget, owner);
  response.once('close', held.release);
  if (response.closed) held.release();
  return held;
}

/** Entries that fall to zero go, so that the map never grows. */
function lower(counts: Map<string, number>, key: string, count: number): void {
  const remaining = (counts.get(key) ?? 0) - count;
  if (remaining > 0) counts.set(key, remaining);
  else counts.delete(key);
}
