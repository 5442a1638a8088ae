import { toTimestamp } from '#shared/clock.ts';
import { dayMs, dayOf, hourMs } from '#shared/duration.ts';
import { wait } from '#shared/wait.ts';
import { openProject } from '../../bench/load/event-senders.ts';
import type { Site } from '../../bench/site.ts';
import { apiOf, withSql } from '../../support/control-plane.ts';
import { countedBy, type SessionEvent, whoIs } from '../../support/event-oracle.ts';

const dayCount = 3;
const batchMax = 200;
/** Fewer people than an exact set holds. */
const [users, sessions] = [300, 1200];
export const erasedUser = 'gone';
const rule = { steps: ['view', 'buy'].map(event => ({ event, where: [] })), windowSeconds: 72_000, order: 'ordered' };

/** Reports by day, of whose events and how many: what the control plane says, or what brute force does. */
export type Counts = Record<string, unknown>;

/** A project that gets events of the last days in any order, some of them twice, through all fronts. */
export async function openCounted(site: Site, fronts: readonly string[]) {
  const { token } = await openProject(site.databaseUrl);
  const apis = fronts.map(url => apiOf(url, token));
  const call = async (...[method, path, body]: Parameters<(typeof apis)[number]>) => {
    const reply = await apis[0]?.(method, path, body);
    if (reply === undefined || reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply?.body)}`);
    return reply.body;
  };
  const steps = rule.steps.map(({ event }) => ({ event }));
  const flow = await call('POST', '/v0/flows', { name: 'Shop', steps, window_seconds: rule.windowSeconds });
  const startMs = dayOf(Date.now()) - (dayCount + 1) * dayMs;
  const range = `from=${toTimestamp(startMs)}&to=${toTimestamp(startMs + dayCount * dayMs)}`;
  let events: SessionEvent[] = [];
  return {
    /** Sends a number of events more. */
    send: async (count: number, batchMs: number) => {
      const stream = drawEvents(count, startMs, events.length);
      for (let start = 0; start < count; start += batchMax) {
        const batch = stream.slice(start, start + batchMax).map(toSent);
        const isRepeated = start % (5 * batchMax) === 0;
        const senders = isRepeated ? apis : apis.slice((start / batchMax) % apis.length).slice(0, 1);
        const answers = await Promise.all(senders.map(api => api('POST', '/v0/events', batch)));
        if (answers.some(({ status }) => status !== 202)) throw new Error(JSON.stringify(answers[0]?.body));
        await wait(batchMs);
      }
      events.push(...stream);
    },
    link: () => call('PATCH', '/v0/project', { link_sessions: true }),
    /** Erases the user. Returns the erasure's id, and how many events are theirs. */
    erase: async (): Promise<{ id: string; count: number }> => {
      const who = whoIs(events, true);
      const before = events.length;
      events = events.filter(event => who(event) !== erasedUser);
      return { id: (await call('DELETE', `/v0/users/${erasedUser}`)).id, count: before - events.length };
    },
    erasure: (id: string) => call('GET', `/v0/erasures/${id}`),
    expected: (isLinked: boolean): Counts => {
      const rules = [{ ...rule, order: 'ordered' as const }];
      const { funnels, ...counts } = countedBy(events, isLinked, { startMs, dayCount, rules });
      return { ...counts, funnel: funnels[0], ...countedByHour(events, isLinked) };
    },
    counts: async (): Promise<Counts> => {
      const trend = (query: string) => call('GET', `/v0/trends?event=view&${range}&${query}`);
      const days = await trend('granularity=day');
      const hours = await trend('granularity=hour');
      const { series } = await trend('breakdown=plan');
      const asked = 'start=view&return=buy&granularity=day&periods=1';
      const { cohorts } = await call('GET', `/v0/retention?${asked}&${range}`);
      const report = await call('GET', `/v0/flows/${flow.id}/report?${range}`);
      const names = await call('GET', `/v0/event-names?${range}`);
      const ofPlan = (plan: string) => series.find((each: Series) => each.group?.value === plan)?.total.users ?? 0;
      const [{ data, total }] = days.series as [Series];
      return {
        events: data.map(point => point.events),
        trend: [...data.map(point => point.users), total.users],
        breakdown: ['pro', 'free'].map(ofPlan),
        retention: cohorts.map((cohort: { returned: number[] }) => cohort.returned),
        funnel: report.steps.map((step: { users: number }) => step.users),
        hours: (hours.series as [Series])[0].data.map(point => point.users),
        names: names.data.map(({ name, count, users }: Named) => [name, count, users]).sort(),
      };
    },
    /** Until a worker counts, links or erases. False if it does not for a while. */
    untilAtWork: (worker: string, withinMs: number) => untilAtWork(site.databaseUrl, worker, withinMs),
  };
}

type Series = {
  data: { events: number; users: number }[];
  total: { users: number };
  group: { value: string } | null;
};
type Named = { name: string; count: number; users: number };

function drawEvents(count: number, startMs: number, before: number): SessionEvent[] {
  // No two at once: then it does not depend on their ids which is the first of a session.
  const stepMs = Math.floor((dayCount * dayMs) / count);
  const among = (length: number) => Math.floor(Math.random() * length);
  const drawUser = () => (Math.random() < 0.3 ? erasedUser : `user ${among(users)}`);
  const stream = Array.from({ length: count }, (_, n) => ({
    id: `event ${before + n}`,
    name: ['view', 'view', 'buy', 'other'][among(4)] ?? '',
    user: Math.random() < 0.5 ? drawUser() : null,
    session: Math.random() < 0.95 ? `tab ${among(sessions)}` : null,
    atMs: startMs + n * stepMs + (before === 0 ? 0 : 1),
    props: { plan: Math.random() < 0.3 ? 'pro' : 'free' },
  }));
  return stream
    .map(event => ({ event, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ event }) => event);
}

function toSent({ id, name, user, session, atMs, props }: SessionEvent): object {
  const timestamp = toTimestamp(atMs);
  return { name, external_user_id: user, session_id: session, dedup_id: id, props, timestamp };
}

function countedByHour(events: readonly SessionEvent[], isLinked: boolean): Counts {
  const who = whoIs(events, isLinked);
  const users = (some: readonly SessionEvent[]) => new Set(some.flatMap(event => who(event) ?? [])).size;
  const views = events.filter(({ name }) => name === 'view');
  const hours = [...Map.groupBy(views, ({ atMs }) => Math.floor(atMs / hourMs))].sort(
    ([left], [right]) => left - right,
  );
  return {
    hours: hours.map(([, own]) => users(own)),
    names: [...Map.groupBy(events, ({ name }) => name)].map(([name, own]) => [name, own.length, users(own)]).sort(),
  };
}

async function untilAtWork(databaseUrl: string, worker: string, withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  return withSql(databaseUrl, async sql => {
    while (performance.now() < untilMs) {
      const row = await sql.row<{ isAtWork: boolean }>`
        select exists (
          select
          from pg_stat_activity
          where application_name = ${worker}
            and state <> 'idle'
            and query ~ '(update|into|delete from) (event_cell|session_link|event_erasures|events|flow_)'
        ) as "isAtWork"`;
      if (row?.isAtWork === true) return true;
      await wait(5);
    }
    return false;
  });
}
