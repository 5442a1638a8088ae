import type { ServerResponse } from 'node:http';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { Problem } from '../problem.ts';

type BodyLimits = {
  /** Most bytes of one body. */
  readonly bodyBytesMax: number;
  /** Most bytes of all bodies at once. */
  readonly bytesMax: number;
  /** Most bodies of one caller at once. */
  readonly perCallerMax: number;
};

/** The memory budget for bodies of one kind of caller while they are read and handled. Shared by all their requests. */
export type BodyBudget = BodyLimits & {
  readonly bytes: FairPool;
  readonly open: Map<string, number>;
};

/** Whose body it is: requests are limited by `caller`, bytes by `owner`. */
export type BodyOwner = { caller: string; owner: string };

/** A body's part of its budget. */
export type ReservedBody = {
  /** Charges bytes before they are stored. Throws `unavailable` if the budget has no more for their owner. */
  take(bytes: number): void;
  /** Gives all of it back. */
  release(): void;
};

const mib = 1_048_576;

export function createBodyBudget(limits: BodyLimits): BodyBudget {
  return { ...limits, bytes: new FairPool(limits.bytesMax, null), open: new Map() };
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
 * Opens a body. Throws `rate_limited` if its caller has too many. A Content-Length alone takes nothing, or callers
 * could exhaust the budget without sending.
 */
export function reserveBody(budget: BodyBudget, { caller, owner }: BodyOwner): ReservedBody {
  const open = budget.open.get(caller) ?? 0;
  if (open >= budget.perCallerMax)
    throw new Problem('rate_limited', { retryAfter: 1, detail: 'too many of your requests are open at once' });
  budget.open.set(caller, open + 1);
  const reservation = budget.bytes.reserve(owner);
  let isOpen = true;
  return {
    take: bytes => {
      if (!reservation.take(bytes))
        throw new Problem('unavailable', { retryAfter: 1, detail: 'too many requests are being read at once' });
    },
    release: () => {
      if (!isOpen) return;
      isOpen = false;
      reservation[Symbol.dispose]();
      const left = (budget.open.get(caller) ?? 0) - 1;
      // Entries that fall to zero go, so that the map never grows.
      if (left > 0) budget.open.set(caller, left);
      else budget.open.delete(caller);
    },
  };
}

/** The same until the response is sent, or its client is gone. */
export function reserveBodyFor(response: ServerResponse, budget: BodyBudget, owner: BodyOwner): ReservedBody {
  const reserved = reserveBody(budget, owner);
  response.once('close', reserved.release);
  if (response.closed) reserved.release();
  return reserved;
}
