import { wait } from '#shared/wait.ts';
import { makeEvent, openProject, postRequest, startSenders } from '../bench/load/event-senders.ts';
import { median, type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';
import { killServer } from './database-kill.ts';

const connections = 12;
const batch = 20;

/**
 * R2 for events: kill -9 of PostgreSQL while events are ingested. Events with a 202 must be stored. Events without an
 * answer or with a 503 are sent again with their dedup_ids until accepted, and must be stored once.
 */
export async function killUnderEvents(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const { projectId, token } = await openProject(site.databaseUrl);
  const acknowledged = new Set<string>();
  const statuses = new Map<number | null, number>();
  let [next, accepted, draining] = [0, 0, false];
  const sending: (string[] | null)[] = Array.from({ length: connections }, () => null);
  const requestOf = (connection: number): Uint8Array => {
    const keys = sending[connection] ?? Array.from({ length: batch }, () => `d${next++}`);
    sending[connection] = keys;
    return postRequest(
      token,
      keys.map((key, index) => ({ ...makeEvent(index), dedup_id: key, props: { key } })),
    );
  };
  const senders = startSenders(
    Number(new URL(site.url).port),
    connections,
    requestOf,
    async (status, _, connection) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 202) return wait(100);
      for (const key of sending[connection] ?? []) acknowledged.add(key);
      sending[connection] = null;
      accepted += 1;
      if (draining) await wait(50);
    },
  );
  const waitForMore = async () => {
    const before = accepted;
    await until(
      async () => accepted,
      now => now > before + connections,
      60_000,
    );
  };
  await waitForMore();
  const kills = run.full ? 10 : 2;
  const backMs: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await wait(500 + Math.random() * 1500);
    const killedAt = performance.now();
    killServer(site);
    await site.restartDatabase();
    await waitForMore();
    backMs.push(Math.round(performance.now() - killedAt));
    run.progress(`kill ${kill} of ${kills}: accepting again after ${backMs.at(-1)} ms`);
  }
  draining = true;
  await waitForMore();
  await senders.stop();
  const stored = await withSql(
    site.databaseUrl,
    sql => sql.rows<{ key: string; count: number }>`
      select props ->> 'key' as key, count(*) as count
      from events
      where project_id = ${projectId}
      group by 1`,
  );
  const found = new Map(stored.map(row => [row.key, row.count]));
  const figure = {
    kills,
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter(key => !found.has(key)).length,
    twice: [...found.values()].filter(count => count > 1).length,
    backMs: round(median(backMs), 0),
    answers: Object.fromEntries(statuses),
  };
  const pass =
    figure.lost === 0 && figure.twice === 0 && figure.acknowledged > 0 && site.controlPlane().process.exitCode === null;
  return {
    name: 'R2-events',
    figure,
    target: { lost: 0, twice: 0 },
    pass,
    versions: await site.versions(),
    samples: { backMs },
  };
}
