import type { DomainFacts } from '#shared/checks/facts.ts';
import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import { phaseMs } from '#shared/slots.ts';
import { endedStatuses } from './answer.ts';
import type { Lookup } from './client.ts';

/** What is wrong with a domain whose registry was asked. */
export type DownCode = 'not_registered' | 'domain_expired';
type Outcome = 'found' | DownCode | 'lookup_failed' | 'no_registry';

/** What is known of a name. Instants in milliseconds since the epoch. */
export type Standing = {
  /** Of the last lookup. */
  outcome: Outcome;
  /** Why the last lookup failed, or what it says; null if there is nothing to say. */
  message: string | null;
  /** What the registry said last. */
  facts: DomainFacts | null;
  /** What the last answer of the registry says is wrong; null if nothing is. */
  down: DownCode | null;
  /** Whether a second lookup agreed with it. */
  confirmed: boolean;
  /** When the registry last answered; null if it never did. */
  answeredAt: number | null;
};

export type Decided = { standing: Standing; dueAt: number };

/** How long an answer of a registry counts. */
const voteMs = 3 * dayMs;
const confirmAfterMs = hourMs;
const retryAfterMs = hourMs;

/** Pure: what is known after one more lookup, and when the next one is due. */
export function decideLookup(before: Standing | null, name: string, lookup: Lookup, nowMs: number): Decided {
  const daily = nextDaily(name, nowMs);
  if (lookup.type === 'no_registry') {
    // A list that lacks a suffix for a day does not take away what the registry said.
    const standing: Standing = { ...(before ?? unknown), outcome: 'no_registry', message: noRegistry };
    return { standing, dueAt: daily };
  }
  if (lookup.type === 'failed') {
    const standing: Standing = { ...(before ?? unknown), outcome: 'lookup_failed', message: lookup.message };
    return { standing, dueAt: nowMs + Math.max(retryAfterMs, lookup.retryAfterMs ?? 0) };
  }
  const facts = lookup.type === 'found' ? lookup.facts : { ...nothing, name, server: lookup.server };
  const wrong =
    lookup.type === 'found' ? endOf(lookup.facts, nowMs) : { code: 'not_registered' as const, message: notThere };
  if (wrong === null) {
    const standing: Standing = { ...unknown, outcome: 'found', facts, answeredAt: nowMs };
    return { standing, dueAt: daily };
  }
  const { code, message } = wrong;
  const isRecent = before?.answeredAt != null && nowMs - before.answeredAt <= voteMs;
  // Once it is sure that the domain is gone, it only goes further: expired, then deleted.
  const confirmed = isRecent && (before.confirmed || before.down === code);
  return {
    standing: { outcome: code, message, facts, down: code, confirmed, answeredAt: nowMs },
    dueAt: confirmed ? daily : nowMs + confirmAfterMs,
  };
}

const noRegistry = 'no registry of this suffix answers by RDAP';
const notThere = 'the registry does not know the domain';
const nothing = { registrar: null, statuses: [], ends_at: null, registered_at: null };
const unknown: Standing = {
  outcome: 'lookup_failed',
  message: null,
  facts: null,
  down: null,
  confirmed: false,
  answeredAt: null,
};

/** Why a domain that is found counts as expired; null if it does not. */
function endOf({ ends_at, statuses }: DomainFacts, nowMs: number): { code: DownCode; message: string } | null {
  const status = endedStatuses.find(one => statuses.includes(one));
  if (status !== undefined) return { code: 'domain_expired', message: `the registry reports the status “${status}”` };
  if (ends_at === null || Date.parse(ends_at) > nowMs) return null;
  return { code: 'domain_expired', message: `the registration ended at ${ends_at}` };
}

/** Pure: the time of the next day at which a name is looked up: the names are spread over the day. */
export function nextDaily(name: string, nowMs: number): number {
  return dayOf(nowMs) + dayMs + phaseMs(name, dayMs);
}

/** What a lookup says about the monitors of its name; `cast` is false where their vote stays as it is. */
export type Saying = {
  status: 'ok' | 'err';
  code: DownCode | 'lookup_failed' | null;
  /** As stored with the result: `probe` where there is no registry, `resolver` where it could not be asked. */
  source: 'target' | 'resolver' | 'probe' | null;
  cast: boolean;
};

/** Pure: what the last lookup says. An answer of before stands in for a failure for a while. */
export function sayingOf({ outcome, confirmed, answeredAt }: Standing, lookedUpAt: number): Saying {
  if (outcome === 'found') return { status: 'ok', code: null, source: null, cast: true };
  if (outcome !== 'lookup_failed' && outcome !== 'no_registry')
    return { status: 'err', code: outcome, source: 'target', cast: confirmed };
  const cast = answeredAt === null || lookedUpAt - answeredAt >= voteMs;
  return { status: 'err', code: 'lookup_failed', source: outcome === 'no_registry' ? 'probe' : 'resolver', cast };
}
