import { wait } from '#shared/wait.ts';
import { audit, describeLost, isWhole } from '../bench/load/audit.ts';
import { type Load, openLoad } from '../bench/load/load.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { openSite, type Replica } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';
import { startNats } from '../support/nats.ts';
import { natsEnv } from './broker-faults.ts';
import { openEventLoad } from './harness/event-load.ts';
import { type Comparison, compareHistories, countReplays, readHistories, type Span } from './harness/histories.ts';
import { openScript } from './harness/script.ts';
import { mountSmallDisk } from './harness/small-disk.ts';
import { waitForAcknowledgement } from './kills.ts';
import { type Parts, partFaults } from './part-faults.ts';

const rounds = { small: 1, full: 2 };
const databaseAwayMs = { small: 30_000, full: 180_000 };
const diskBytes = 768 * 1024 * 1024;
const storedWithinMs = 120_000;
const settledWithinMs = 90_000;
const linesMax = 100;
/** After a fault votes that expired meanwhile, and what waited in the streams, are judged. */
const judgedWithinMs = 25_000;
const target = {
  ...{ lost: 0, twice: 0, unknown: 0, hoursOff: 0, refused: 0, eventsLost: 0, eventsTwice: 0, bulkAlertsOff: 0 },
  ...{ historiesOff: 0, outagesWithoutAlert: 0, alertsTwice: 0, falseAlerts: 0, parked: 0 },
};

/**
 * R21: a gateway with the front, two workers and three NATS servers, each a process of its own, take results and events
 * in while each is killed or stopped in turn. The same results go to a second site, without NATS and without faults:
 * both must tell the same history and the same alerts.
 */
export async function breakParts(run: RowRun): Promise<Row> {
  const disk = await mountSmallDisk(diskBytes);
  if (disk !== null) run.opened.use(disk);
  else run.progress('no disk is filled: a small file system can be mounted by root only');
  const nats = run.opened.use(await startNats({ servers: 3, lastFolder: disk?.folder }));
  const reference = await openSite(run);
  const site = await openSite(run, { ...natsEnv(nats), ROLES: 'gateway,front' });
  const workers: Replica[] = [];
  const startWorker = async (index: number) => {
    workers[index] = await site.startReplica(`worker-${index}`, workers[index]?.port ?? 0, { ROLES: 'worker' });
  };
  await Promise.all([startWorker(0), startWorker(1)]);
  const away = run.full ? databaseAwayMs.full : databaseAwayMs.small;
  const parts: Parts = { site, nats, workers, startWorker, disk, databaseAwayMs: away };
  const load = { monitors: 300, agentsPerRegion: 2, resultsPerMessage: 50, resultsPerSecond: 800, outage: true };
  const bulk = await openLoad(site, run, load);
  const events = await openEventLoad(site, { connections: 4, batch: 20, pauseMs: 150, plain: true });
  const script = await openScript(run, [site, reference]);
  bulk.go();
  await Promise.all([waitForAcknowledgement(bulk), events.more()]);
  run.progress('a gateway, two workers and three NATS servers are up');
  const spans: Span[] = [];
  const silentMs: Record<string, number[]> = {};
  const count = run.full ? rounds.full : rounds.small;
  for (let turn = 0; turn < count; turn++)
    for (const { name, act } of partFaults) {
      await wait(1000 + Math.random() * 9000);
      const from = Date.now();
      const silence = watchSilence(bulk);
      await act(parts);
      const endedAt = Date.now();
      await Promise.all([waitForAcknowledgement(bulk), events.more()]);
      spans.push({ from, until: Date.now() + judgedWithinMs });
      silentMs[name] = [...(silentMs[name] ?? []), silence.longestMs()];
      const span = `${endedAt - from} ms from ${new Date(from).toISOString()}`;
      run.progress(`${name}: ${span}; no acknowledgement for ${silentMs[name].at(-1)} ms`);
    }
  const lastSlot = await script.end();
  await events.stop();
  await bulk.drain();
  const ledger = [...(await bulk.ledger()), ...script.ledgerOf(0)];
  const audited = await settle(
    () => audit(site.databaseUrl, ledger),
    ({ lost }) => lost === 0,
    storedWithinMs,
  );
  for (const line of (await describeLost(site.databaseUrl, ledger)).slice(0, linesMax)) run.progress(line);
  const auditedEvents = await settle(
    () => events.audit(),
    ({ lost }) => lost === 0,
    storedWithinMs,
  );
  const { differences, ...compared } = await settle(
    () => compareSites([reference.databaseUrl, site.databaseUrl], script.monitorIds, lastSlot, spans),
    ({ historiesOff }) => historiesOff === 0,
    settledWithinMs,
  );
  for (const line of differences) run.progress(line);
  const figure = {
    ...{ faults: spans.length, diskFilled: disk !== null, ...audited, refused: script.refused() },
    ...{ eventsAcknowledged: auditedEvents.acknowledged },
    ...{ eventsLost: auditedEvents.lost, eventsTwice: auditedEvents.twice, answers: events.answers() },
    ...{ bulkAlertsOff: await countBulkAlertsOff(site.databaseUrl, bulk), ...compared },
    parked: await countParked(site.databaseUrl),
  };
  const met = Object.keys(target).every(name => figure[name as keyof typeof target] === 0);
  const pass = met && isWhole(audited) && audited.acknowledged > 0 && auditedEvents.acknowledged > 0;
  return {
    name: 'R21',
    figure,
    target,
    pass: pass && compared.outages > 0,
    versions: await site.versions(),
    samples: { silentMs },
  };
}

/** The longest time without an acknowledgement of a result. Call `longestMs` once. */
function watchSilence(load: Load): { longestMs(): number } {
  let [seen, since, longest] = [load.acknowledged(), performance.now(), 0];
  const look = () => {
    longest = Math.max(longest, performance.now() - since);
    if (load.acknowledged() === seen) return;
    seen = load.acknowledged();
    since = performance.now();
  };
  const timer = setInterval(look, 50);
  return {
    longestMs: () => {
      clearInterval(timer);
      look();
      return Math.round(longest);
    },
  };
}

/** What is read last, at the latest after `withinMs`. */
async function settle<Value>(
  read: () => Promise<Value>,
  isSettled: (value: Value) => boolean,
  withinMs: number,
): Promise<Value> {
  return until(read, isSettled, withinMs).catch(read);
}

/** Of the site with faults compared with the reference, once both have computed what came late. */
async function compareSites(
  [reference = '', site = '']: readonly string[],
  [siteIds = [], referenceIds = []]: readonly (readonly string[])[],
  lastSlot: number,
  spans: readonly Span[],
): Promise<Comparison> {
  await until(
    async () => (await countReplays(site, siteIds)) + (await countReplays(reference, referenceIds)),
    0,
    settledWithinMs,
  ).catch(() => null);
  const wanted = await readHistories(reference, referenceIds, lastSlot);
  return compareHistories(wanted, await readHistories(site, siteIds, lastSlot), spans);
}

/** Deviations from one open alert of the monitor that was down all the time, and none of the others. */
async function countBulkAlertsOff(databaseUrl: string, { monitorIds }: Load): Promise<number> {
  const rows = await withSql(
    databaseUrl,
    sql => sql.rows<{ monitor_id: string; state: string }>`
      select monitor_id, state
      from alerts
      where monitor_id = any(${[...monitorIds]}::text[])`,
  );
  const wanted = rows.filter(row => row.monitor_id === monitorIds[0] && row.state === 'open').length;
  return Math.abs(1 - wanted) + rows.length - wanted;
}

async function countParked(databaseUrl: string): Promise<number> {
  const row = await withSql(databaseUrl, sql => sql.row<{ count: number }>`select count(*) from intake_parked`);
  return row?.count ?? Number.NaN;
}
