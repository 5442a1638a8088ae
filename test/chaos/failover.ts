import { join } from 'node:path';
import { instant } from '#control-plane/platform/db/sql.ts';
import { wait } from '#shared/wait.ts';
import { audit, isWhole } from '../bench/load/audit.ts';
import { openLoad } from '../bench/load/load.ts';
import { median, type Row, type RowRun, round } from '../bench/row.ts';
import { openSite, type Site } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';
import { openFailover } from '../support/failover.ts';
import { startNats } from '../support/nats.ts';
import { natsEnv } from './broker-faults.ts';
import { openEventLoad } from './harness/event-load.ts';
import { countAlerts, waitForAcknowledgement } from './kills.ts';

type Mode = 'synchronous' | 'asynchronous' | 'asynchronous behind NATS';

const load = { monitors: 300, agentsPerRegion: 2, resultsPerMessage: 30, resultsPerSecond: 1500, outage: true };
const senders = { connections: 4, pauseMs: 100 };
/** For so long the log no longer reaches an asynchronous standby before the primary is killed. */
const lagMs = 1000;
const storedWithinMs = 60_000;

/**
 * R20: the primary is killed under load and never comes back; a streaming standby is promoted, and the address that the
 * control plane knows leads to it. With synchronous replication nothing acknowledged may be lost. Without it the loss
 * is measured; what is left must be consistent all the same. NATS still has what the standby lacks.
 */
export async function failOver(run: RowRun): Promise<Row> {
  const times = run.full ? 10 : 2;
  const synchronous = await measure(run, 'synchronous', times);
  const asynchronous = await measure(run, 'asynchronous', times);
  const behindNats = await measure(run, 'asynchronous behind NATS', times);
  const whole = { lost: 0, twice: 0, alertsOfTheOutage: 1, otherAlerts: 0 };
  return {
    name: 'R20',
    figure: {
      failovers: times,
      synchronous: synchronous.figure,
      asynchronous: asynchronous.figure,
      behindNats: behindNats.figure,
    },
    target: { synchronous: whole, asynchronous: { ...whole, lost: null }, behindNats: whole },
    pass: [synchronous, behindNats].every(losesNothing) && [synchronous, asynchronous, behindNats].every(isConsistent),
    versions: synchronous.versions,
    samples: { synchronous: synchronous.samples, asynchronous: asynchronous.samples, behindNats: behindNats.samples },
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function losesNothing({ figure: { results, events } }: Measured): boolean {
  return results.lost === 0 && events.lost === 0;
}

function isConsistent({ figure: { results, events, alerts } }: Measured): boolean {
  const once = isWhole({ ...results, lost: 0 }) && events.twice === 0;
  return results.acknowledged > 0 && once && alerts.alertsOfTheOutage === 1 && alerts.otherAlerts === 0;
}

async function measure({ full, progress }: RowRun, mode: Mode, times: number) {
  await using opened = new AsyncDisposableStack();
  const run = { full, progress, opened };
  const env = mode === 'asynchronous behind NATS' ? natsEnv(opened.use(await startNats())) : {};
  const failover = opened.use(await openFailover());
  const site = await openSite(run, env, failover.begin);
  const agents = await openLoad(site, run, load);
  const events = await openEventLoad(site, { ...senders, batch: 20, plain: false });
  agents.go();
  await waitForAcknowledgement(agents);
  const samples: { backMs: number; behindBytes: number; behindMs: number }[] = [];
  for (let time = 1; time <= times; time++) {
    const standby = await failover.addStandby(join(site.folder, `standby-${time}`));
    if (mode === 'synchronous') await standby.makeSynchronous();
    await waitForAcknowledgement(agents);
    await wait(1000 + Math.random() * 1000);
    if (mode !== 'synchronous') {
      failover.cutOff();
      await wait(lagMs);
    }
    const behind = await standby.behind();
    const killedAt = Date.now();
    await failover.failOver();
    await Promise.all([waitForAcknowledgement(agents), events.more(), waitForStored(site, killedAt)]);
    const backMs = Date.now() - killedAt;
    samples.push({ backMs, behindBytes: behind.bytes, behindMs: behind.ms });
    progress(`${mode}, failover ${time} of ${times}: storing again after ${backMs} ms`);
  }
  await events.stop();
  const { connections } = await agents.drain();
  const ledger = await agents.ledger();
  const compare = async () => ({ results: await audit(site.databaseUrl, ledger), events: await events.audit() });
  // What a broker acknowledged is stored soon after.
  const isStored = ({ results, events }: Awaited<ReturnType<typeof compare>>) => results.lost + events.lost === 0;
  const patient = mode === 'asynchronous behind NATS';
  const audited = patient ? await until(compare, isStored, storedWithinMs).catch(compare) : await compare();
  if (site.controlPlane().process.exitCode !== null) throw new Error('the control plane ended with its database');
  return {
    figure: {
      ...audited,
      alerts: await countAlerts(site.databaseUrl, agents.monitorIds[0] ?? ''),
      backMs: round(median(samples.map(sample => sample.backMs)), 0),
      connections,
    },
    samples: { failovers: samples, answers: events.answers() },
    versions: await site.versions(),
  };
}

/** Waits until a result is stored that was sent after an instant. */
async function waitForStored({ databaseUrl }: Site, afterMs: number): Promise<void> {
  await until(
    () =>
      withSql(
        databaseUrl,
        sql => sql.row`select 1 from check_results where scheduled_at > ${instant(afterMs)} limit 1`,
      ).catch(() => null),
    row => row !== null,
    storedWithinMs,
  );
}
