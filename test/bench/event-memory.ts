import { readFileSync } from 'node:fs';
import { wait } from '#shared/wait.ts';
import { apiOf, createTenant, withSql } from '../support/control-plane.ts';
import { openRaw } from '../support/raw-connection.ts';
import { makeEvent, postRequest } from './load/event-senders.ts';
import { type Row, type RowRun, round } from './row.ts';
import { openSite } from './site.ts';

const projects = 50;
const seconds = 60;
const batch = 100;
const everyMs = 500;
const target = { growthMb: 100, highestMb: 512, refused: 0, lost: 0 };

/** Memory of the control plane while 50 projects, each with a flow, send 200 events per second each for a minute. */
export async function measureEventMemory(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const tenants = await Promise.all(
    Array.from({ length: projects }, () => createTenant(site.databaseUrl, ['*'], 'enterprise')),
  );
  const steps = ['page viewed', 'added to cart', 'paid'].map(event => ({ event }));
  for (const { token } of tenants)
    await apiOf(site.url, token)('POST', '/v0/flows', { name: 'f', steps, window_seconds: 3600 });
  const port = Number(new URL(site.url).port);
  const counts = { accepted: 0, refused: 0, late: 0 };
  const until = performance.now() + seconds * 1000;
  const rss: number[] = [];
  const send = async (token: string, index: number): Promise<void> => {
    await using connection = await openRaw(port);
    await wait((index * everyMs) / projects);
    for (let due = performance.now(), number = index * 1_000_000; due < until; due += everyMs, number += batch) {
      await wait(Math.max(0, due - performance.now()));
      if (performance.now() - due > everyMs) counts.late += 1;
      const events = Array.from({ length: batch }, (_, offset) => makeEvent(number + offset));
      const answer = await connection.exchange(postRequest(token, events), 'POST');
      if (answer?.status === 202) counts.accepted += batch;
      else counts.refused += 1;
    }
  };
  const watch = (async () => {
    while (performance.now() < until) {
      rss.push(rssMb(site.controlPlane().pid));
      await wait(1000);
    }
  })();
  await Promise.all([...tenants.map(({ token }, index) => send(token, index)), watch]);
  const stored = await withSql(
    site.databaseUrl,
    sql => sql.row<{ count: number }>`select count(*) as count from events`,
  );
  const [early, late] = [rss.slice(10, 20), rss.slice(-10)].map(list => Math.max(...list));
  const figure = {
    ...counts,
    lost: Math.max(0, counts.accepted - (stored?.count ?? 0)),
    highestMb: round(Math.max(...rss), 0),
    growthMb: round((late ?? 0) - (early ?? 0), 0),
    eventsPerSecond: Math.round(counts.accepted / seconds),
  };
  const pass =
    figure.lost === 0 &&
    figure.refused === 0 &&
    figure.highestMb <= target.highestMb &&
    figure.growthMb <= target.growthMb;
  return { name: 'event-memory', figure, target, pass, versions: await site.versions(), samples: { rssMb: rss } };
}

function rssMb(pid: number): number {
  const kb = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb ?? Number.NaN) / 1024;
}
