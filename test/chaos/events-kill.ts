import { wait } from '#shared/wait.ts';
import { median, type Row, type RowRun, round } from '../bench/row.ts';
import { openSite } from '../bench/site.ts';
import { killServer } from './database-kill.ts';
import { openEventLoad } from './harness/event-load.ts';

/**
 * R2 for events: kill -9 of PostgreSQL while events are ingested. Events with a 202 must be stored. Events without an
 * answer or with a 503 are sent again with their dedup_ids until accepted, and must be stored once.
 */
export async function killUnderEvents(run: RowRun): Promise<Row> {
  const site = await openSite(run);
  const events = await openEventLoad(site, { connections: 12, batch: 20, pauseMs: 0, plain: false });
  await events.more();
  const kills = run.full ? 10 : 2;
  const backMs: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await wait(500 + Math.random() * 1500);
    const killedAt = performance.now();
    killServer(site);
    await site.restartDatabase();
    await events.more();
    backMs.push(Math.round(performance.now() - killedAt));
    run.progress(`kill ${kill} of ${kills}: accepting again after ${backMs.at(-1)} ms`);
  }
  await events.stop();
  const audited = await events.audit();
  const figure = { kills, ...audited, backMs: round(median(backMs), 0), answers: events.answers() };
  const { acknowledged, lost, twice } = audited;
  return {
    name: 'R2-events',
    figure,
    target: { lost: 0, twice: 0 },
    pass: lost === 0 && twice === 0 && acknowledged > 0 && site.controlPlane().process.exitCode === null,
    versions: await site.versions(),
    samples: { backMs },
  };
}
