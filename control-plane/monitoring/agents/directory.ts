import type pg from 'pg';
import type { Clock } from '#shared/clock.ts';
import { classifyFault } from '../../platform/db/errors.ts';
import { createGroupCommit } from '../../platform/db/group-commit.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import { Problem } from '../../platform/http/problem.ts';
import { hashBearer } from '../../platform/secrets/bearer.ts';
import {
  type AdmittedAgent,
  type Arrival,
  type Departure,
  findAgentsBySecret,
  markConnected,
  markDisconnected,
} from './store.ts';

/**
 * Looks agents up and records that they come and go. What arrives while a statement runs is in the next one: after a
 * restart all agents come at once.
 */
export type AgentDirectory = {
  /** Null if no agent has the secret, or it is revoked. */
  find(secret: string): Promise<AdmittedAgent | null>;
  /** False if the agent was revoked meanwhile. */
  arrived(arrival: Arrival): Promise<boolean>;
  left(departure: Departure): Promise<void>;
};

const batchMax = 250;

/** Uses up to two connections of the pool: the API needs the others, also while all agents come back at once. */
export function openAgentDirectory(pool: pg.Pool, clock: Clock): AgentDirectory {
  const sql = sqlOf(pool);
  const lookUp = together<Uint8Array, AdmittedAgent | null>(async hashes => {
    const found = await findAgentsBySecret(sql, hashes);
    return hashes.map(hash => found.get(Buffer.from(hash).toString('base64')) ?? null);
  });
  const record = together<Arrival | Departure, boolean>(async changes => {
    const arrivals = changes.filter(isArrival);
    const known = arrivals.length === 0 ? new Set() : await markConnected(sql, latest(arrivals), clock.now());
    // After arrivals: the end of a session that another has replaced changes nothing.
    for (const round of rounds(changes.filter(isDeparture))) await markDisconnected(sql, round, clock.now());
    return changes.map(({ agentId }) => known.has(agentId));
  });
  return {
    find: secret => lookUp(hashBearer(secret)),
    arrived: record,
    left: async departure => void (await record(departure)),
  };
}

function isArrival(change: Arrival | Departure): change is Arrival {
  return 'version' in change;
}

function isDeparture(change: Arrival | Departure): change is Departure {
  return !isArrival(change);
}

/** What fails for another reason than the database's absence is tried one by one: one of them may be to blame. */
function together<Item, Outcome>(
  run: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): (item: Item) => Promise<Outcome> {
  const alone = async (item: Item): Promise<Outcome> => (await run([item]))[0] as Outcome;
  const commits = createGroupCommit<Item, Outcome>({
    batchMax,
    queuedMax: Number.POSITIVE_INFINITY,
    concurrency: 1,
    refusal: () => new Problem('unavailable', { retryAfter: 1 }),
    commit: async items => {
      try {
        return await run(items);
      } catch (error) {
        if (items.length === 1 || classifyFault(error) === 'away') throw error;
        return inTurn(items, alone);
      }
    },
  });
  return async item => (await commits.add([item]))[0] as Outcome;
}

/** One after the other, in order. */
function inTurn<Item, Outcome>(items: readonly Item[], work: (item: Item) => Promise<Outcome>): Promise<Outcome>[] {
  let before: Promise<unknown> = Promise.resolve();
  return items.map(item => {
    const outcome = before.then(() => work(item));
    before = outcome.catch(() => {});
    return outcome;
  });
}

/** Of several sessions of one agent the last. */
function latest(arrivals: readonly Arrival[]): Arrival[] {
  return [...new Map(arrivals.map(arrival => [arrival.agentId, arrival])).values()];
}

/** In parts that have each agent once, in order: its row has one of several sessions at most. */
function rounds(departures: readonly Departure[]): Departure[][] {
  const parts: Map<string, Departure>[] = [];
  for (const departure of departures) {
    const free = parts.find(part => !part.has(departure.agentId)) ?? new Map<string, Departure>();
    if (!parts.includes(free)) parts.push(free);
    free.set(departure.agentId, departure);
  }
  return parts.map(part => [...part.values()]);
}
