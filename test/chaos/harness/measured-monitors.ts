import { toTimestamp } from '#shared/clock.ts';
import { wait } from '#shared/wait.ts';
import { openProject } from '../../bench/load/event-senders.ts';
import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';
import { apiOf, until } from '../../support/control-plane.ts';

/** A result of a monitor of events. */
export type Judged = { at: number; status: string; source: string | null; value: number | null };

type Alert = { id: string; resolved_at: string | null; reason: { summary: string } };

const everyMs = 1000;
const least = 20;
const patienceMs = 600_000;

/** A shop that sells once a second, with a monitor of its orders, and one of its few orders at night. */
export async function openMeasured(
  { opened }: RowRun,
  site: Site,
  fronts: readonly string[],
  { windowMs, settleMs }: { windowMs: number; settleMs: number },
) {
  const { token } = await openProject(site.databaseUrl);
  const [api] = fronts.map(url => apiOf(url, token));
  if (api === undefined) throw new Error('there is no front');
  const create = async (name: string, minSample: number): Promise<string> => {
    const { status, body } = await api('POST', '/v0/monitors', {
      name,
      kind: 'events',
      events: {
        event: { name },
        window_seconds: windowMs / 1000,
        settle_seconds: settleMs / 1000,
        min_sample: minSample,
      },
      assertions: [{ type: 'measured', operator: 'gte', value: least }],
    });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id;
  };
  const post = async (url: string, events: readonly object[]) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(5000);
    await fetch(`${url}/v0/events`, { method: 'POST', headers, body: JSON.stringify(events), signal }).catch(
      () => null,
    );
  };
  // What was sold before.
  await post(
    site.url,
    Array.from({ length: 180 }, (_, second) => ({
      name: 'order paid',
      timestamp: toTimestamp(Date.now() - second * 1000),
    })),
  );
  const [orders, night] = [await create('order paid', 0), await create('order at night', least)];
  let [sells, sold, over] = [true, 0, false];
  const selling = (async () => {
    for (; !over; await wait(everyMs)) {
      const url = fronts[sold++ % fronts.length] ?? site.url;
      const events = sells ? [{ name: 'order paid' }] : [];
      await post(url, sold % 20 === 0 ? [...events, { name: 'order at night' }] : events);
    }
  })();
  opened.defer(async () => {
    over = true;
    await selling;
  });
  const resultsOf = async (id: string): Promise<Judged[]> => {
    const { body } = await api('GET', `/v0/monitors/${id}/checks?limit=200`);
    return body.data.map(
      (check: { scheduled_at: string; status: string; failure_source: string | null; measured: Judged }) => ({
        at: Date.parse(check.scheduled_at),
        status: check.status,
        source: check.failure_source,
        value: check.measured.value,
      }),
    );
  };
  const results = () => resultsOf(orders);
  const statusOf = async () => (await api('GET', `/v0/monitors/${orders}`)).body.status;
  const alerts = async (): Promise<Alert[]> => (await api('GET', '/v0/alerts')).body.data;
  return {
    alerts,
    results,
    sell: () => {
      sells = true;
    },
    /** No order comes any more. Returns since when. */
    stop: () => {
      sells = false;
      return Date.now();
    },
    sendLate: (count: number, atMs: number) =>
      post(
        site.url,
        Array.from({ length: count }, () => ({ name: 'order paid', timestamp: toTimestamp(atMs) })),
      ),
    isDown: async () => (await statusOf()) === 'down',
    untilStatus: (wanted: string) => until(statusOf, wanted, patienceMs),
    /** Until a whole window from then on was judged, and is good. */
    untilGood: (fromMs: number) =>
      until(results, ([newest]) => newest !== undefined && newest.at > fromMs && newest.status === 'ok', patienceMs),
    /** Results of one instant but the first. */
    twice: async () => {
      const all = [...(await results()), ...(await resultsOf(night)).map(({ at }) => ({ at: -at }))];
      return all.length - new Set(all.map(({ at }) => at)).size;
    },
    /** Instants without a result between the first one and the last. */
    skipped: async () => {
      const all = await results();
      const [newest = 0, oldest = 0] = [all[0]?.at, all.at(-1)?.at];
      return (newest - oldest) / 60_000 + 1 - all.length;
    },
    /** Results that say anything of too few orders. */
    nightDown: async () =>
      (await resultsOf(night)).filter(({ source }) => source !== 'too_few' && source !== 'not_kept').length,
  };
}
