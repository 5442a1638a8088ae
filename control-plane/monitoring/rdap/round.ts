import type { Clock } from '#shared/clock.ts';
import { secondMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { OutboundReader } from '../../platform/http/outbound.ts';
import { type Registries, registryOf } from './bootstrap.ts';
import { type Lookup, lookUp, type Turn } from './client.ts';
import { currentRegistries } from './fetch-bootstrap.ts';
import { findLookup, insertWanted, listDueNames, writeLookup } from './lookup-store.ts';
import { decideLookup } from './standing.ts';
import { leaveAlone, listLeftAlone, takeTurn } from './turn-store.ts';

export type RoundServices = {
  sql: Sql;
  reader: OutboundReader;
  clock: Clock;
  /** Null: nobody is asked, as if no suffix had a registry. */
  bootstrapUrl: string | null;
  /** Hears why the bootstrap file could not be read. */
  failed(reason: string): void;
};

const namesMax = 500;
/** Servers that are asked at the same time. */
const serversMax = 16;
/** A round starts no lookup after this time, so that a new name does not wait for slow servers. */
const roundMs = 20 * secondMs;
/** A round ends within this time: its last lookup with its redirects, and the bootstrap file before all. */
export const roundLeaseMs = 120 * secondMs;
/** Longest wait for a turn at a server to which another one redirects. */
const turnMaxMs = 5 * secondMs;

/** Looks up the names that are due, each server one after the other. Returns for how many something was stored. */
export async function lookUpDue(services: RoundServices, signal: AbortSignal): Promise<number> {
  const { sql, clock, bootstrapUrl } = services;
  await insertWanted(sql, clock.now());
  const names = await listDueNames(sql, clock.now(), namesMax);
  if (names.length === 0) return 0;
  const registries: Registries =
    bootstrapUrl === null ? new Map() : await currentRegistries(services, bootstrapUrl, clock.now());
  // The names stay due until a list was read.
  if (bootstrapUrl !== null && registries.size === 0) return 0;
  const byServer = Map.groupBy(names, name => hostOf(registries, name));
  const leftAlone = await listLeftAlone(sql, [...byServer.keys()], clock.now());
  const queues = [...byServer].filter(([server]) => !leftAlone.has(server));
  const turn = turnsOf(services, signal);
  const endsAt = performance.now() + roundMs;
  let stored = 0;
  const work = async () => {
    for (let next = queues.shift(); next !== undefined; next = queues.shift()) {
      const [server, queue] = next;
      for (const name of queue) {
        if (signal.aborted || performance.now() > endsAt || (server !== '' && !(await turn(server)))) break;
        if (await lookUpOne(services, registries, name, turn)) stored++;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(serversMax, queues.length) }, work));
  return stored;
}

/** The host that answers for a name; empty if none does. */
function hostOf(registries: Registries, name: string): string {
  const base = registryOf(registries, name);
  return base === null ? '' : new URL(base).host;
}

/** Waits for the next turn at a server, on whichever replica. */
function turnsOf({ sql, clock }: RoundServices, signal: AbortSignal): Turn {
  return async server => {
    const until = performance.now() + turnMaxMs;
    for (;;) {
      const waitMs = await takeTurn(sql, server, clock.now());
      if (waitMs === null) return true;
      if (performance.now() + waitMs > until) return false;
      await wait(waitMs, { signal });
    }
  };
}

async function lookUpOne(services: RoundServices, registries: Registries, name: string, turn: Turn): Promise<boolean> {
  const { sql, clock } = services;
  const before = await findLookup(sql, name);
  if (before === null || before.dueAt > clock.now()) return false;
  const lookup = await ask(services, registries, name, turn);
  const nowMs = clock.now();
  if (lookup.type === 'failed' && lookup.retryAfterMs !== null)
    await leaveAlone(sql, lookup.server, nowMs + lookup.retryAfterMs);
  return writeLookup(sql, before, decideLookup(before.standing, name, lookup, nowMs), nowMs);
}

async function ask(
  { reader, clock }: RoundServices,
  registries: Registries,
  name: string,
  turn: Turn,
): Promise<Lookup> {
  const base = registryOf(registries, name);
  return base === null ? { type: 'no_registry' } : lookUp(reader, { name, base, turn, nowMs: clock.now() });
}
