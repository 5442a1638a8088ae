import { actorOf } from '#control-plane/analytics/events/actor.ts';
import type { NewEvent } from '#control-plane/analytics/events/event.ts';
import { storeEvents } from '#control-plane/analytics/events/store.ts';
import type { FlowRule } from '#control-plane/analytics/flows/flow.ts';
import { depthsOf } from '#control-plane/analytics/flows/funnel/counting.ts';
import type { Condition } from '#control-plane/platform/conditions/condition.ts';
import type { Edition } from '#control-plane/platform/db/series/edition.ts';
import { openSeries } from '#control-plane/platform/db/series/series.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { newId } from '#shared/ids.ts';
import { patientPools } from './patient-pools.ts';

/** An event of a user. */
export type UserEvent = { user: string; name: string; atMs: number; props?: Record<string, unknown>; type?: 'error' };

/**
 * An event of a user, or of nobody. Those with the same `key` are one. `links`: its project links sessions to users.
 */
export type SentEvent = Omit<UserEvent, 'user'> & {
  user: string | null;
  session?: string | null;
  links?: boolean;
  id?: string;
  key?: string;
};

/** Puts events into the database as if they arrived at `ingestedMs`. */
export function putEvents(
  databaseUrl: string,
  projectId: string,
  events: readonly UserEvent[],
  ingestedMs: number,
): Promise<void> {
  return putHistories(databaseUrl, [{ projectId, events }], ingestedMs);
}

export async function putHistories(
  databaseUrl: string,
  histories: readonly { projectId: string; events: readonly UserEvent[] }[],
  ingestedMs: number,
): Promise<void> {
  const rows = histories.flatMap(({ projectId, events }) => events.map(event => toRow(projectId, event)));
  const pools = patientPools(databaseUrl);
  try {
    const sql = sqlOf(pools.background);
    const stored = await sql.row<{ edition: Edition }>`select edition from storage_edition`;
    const series = await openSeries(pools.background, sql, stored?.edition ?? 'plain');
    await series.ensure('events', [ingestedMs]);
    for (let start = 0; start < rows.length; start += 5000)
      await storeEvents(sql, rows.slice(start, start + 5000), ingestedMs);
  } finally {
    await pools.end();
  }
}

export function toRow(projectId: string, event: SentEvent): NewEvent {
  const { user, session = null, links, id, name, atMs, props, type, key } = event;
  return {
    projectId,
    source: 'server',
    id: id ?? newId('evt'),
    name,
    type: type ?? 'track',
    actor: actorOf(user, session),
    externalUserId: user,
    sessionId: session,
    ...(links === true && user !== null && session !== null ? { sessionActor: actorOf(null, session) ?? 0 } : {}),
    props: props === undefined ? null : JSON.stringify(props),
    timestamp: atMs,
    dedupId: key ?? null,
  };
}

/** The funnel by the pure rule, without a database: users at each step, for entries in [fromMs, toMs). */
export function countByRule(events: readonly UserEvent[], rule: FlowRule, fromMs: number, toMs: number): number[] {
  const counting = { steps: rule.steps.length, windowMs: rule.windowSeconds * 1000, strict: rule.order === 'strict' };
  const counts = rule.steps.map(() => 0);
  for (const own of Map.groupBy(events, event => event.user).values()) {
    const marked = own
      .filter(event => event.type === undefined)
      .map(event => ({ atMs: event.atMs, steps: stepsOf(event, rule) }))
      .filter(event => counting.strict || event.steps > 0)
      .sort((left, right) => left.atMs - right.atMs);
    const depth = depthsOf(marked, counting, atMs => (atMs >= fromMs && atMs < toMs ? 0 : null)).get(0) ?? 0;
    for (let step = 0; step < depth; step++) counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

function stepsOf(event: UserEvent, rule: FlowRule): number {
  return rule.steps.reduce((bits, step, index) => {
    const matches = step.event === event.name && step.where.every(condition => holds(condition, event.props ?? {}));
    return matches ? bits | (1 << index) : bits;
  }, 0);
}

/** What a condition means, written a second time. */
export function holds({ prop, op, value }: Condition, props: Record<string, unknown>): boolean {
  const there = Object.hasOwn(props, prop);
  const found = props[prop];
  const scalar = typeof found !== 'object' || found === null;
  const among = (Array.isArray(value) ? value : [value]).some(one => scalar && there && found === one);
  switch (op) {
    case 'exists':
      return there;
    case 'not_exists':
      return !there;
    case 'eq':
    case 'in':
      return among;
    case 'neq':
    case 'not_in':
      return there && !among;
    case 'contains':
      return typeof found === 'string' && found.includes(String(value));
    case 'not_contains':
      return typeof found === 'string' && !found.includes(String(value));
    case 'lt':
      return typeof found === 'number' && found < Number(value);
    case 'lte':
      return typeof found === 'number' && found <= Number(value);
    case 'gt':
      return typeof found === 'number' && found > Number(value);
    case 'gte':
      return typeof found === 'number' && found >= Number(value);
    default:
      return op satisfies never;
  }
}
