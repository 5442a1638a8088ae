import { wait } from '#shared/wait.ts';
import { type Audit, audit, isWhole } from '../bench/load/audit.ts';
import { type Load, type LoadOptions, openLoad } from '../bench/load/load.ts';
import { median, type Row, type RowRun, round } from '../bench/row.ts';
import { openSite, type Site } from '../bench/site.ts';
import { until, withSql } from '../support/control-plane.ts';

/** A process that is killed and restarted, and how often. */
export type Victim = {
  name: string;
  times: { small: number; full: number };
  /** Kills it and restarts whatever does not restart by itself. */
  killAndRestart(site: Site, kill: number): Promise<void>;
  /** Settings of the control plane. */
  env?: Record<string, string>;
  resultsPerSecond?: number;
};

const usualLoad: LoadOptions = {
  monitors: 600,
  agentsPerRegion: 2,
  resultsPerMessage: 60,
  resultsPerSecond: 6000,
  outage: true,
};
const backWithinMs = 90_000;
const storedWithinMs = 60_000;

/** Kills under load while one monitor is down everywhere, then compares what was acknowledged with the database. */
export async function measureKills(run: RowRun, victim: Victim): Promise<Row> {
  const { name, times, killAndRestart, env = {}, resultsPerSecond = usualLoad.resultsPerSecond } = victim;
  const site = await openSite(run, env);
  const agents = await openLoad(site, run, { ...usualLoad, resultsPerSecond });
  agents.go();
  await waitForAcknowledgement(agents);
  const backMs: number[] = [];
  const kills = run.full ? times.full : times.small;
  for (let kill = 1; kill <= kills; kill++) {
    await wait(500 + Math.random() * 1500);
    const killedAt = performance.now();
    await killAndRestart(site, kill);
    await waitForAcknowledgement(agents);
    backMs.push(Math.round(performance.now() - killedAt));
    run.progress(`kill ${kill} of ${kills}: acknowledging again after ${backMs.at(-1)} ms`);
  }
  const { connections } = await agents.drain();
  const ledger = await agents.ledger();
  // What a broker acknowledged is stored soon after.
  const audited = await until(
    () => audit(site.databaseUrl, ledger),
    ({ lost }) => lost === 0,
    storedWithinMs,
  ).catch(() => audit(site.databaseUrl, ledger));
  const alerts = await countAlerts(site.databaseUrl, agents.monitorIds[0] ?? '');
  return {
    name,
    figure: { kills, ...audited, ...alerts, backMs: round(median(backMs), 0), connections },
    target: { lost: 0, twice: 0, unknown: 0, hoursOff: 0, alertsOfTheOutage: 1, otherAlerts: 0 },
    pass: holds(audited, alerts),
    versions: await site.versions(),
    samples: { backMs },
  };
}

function holds(audited: Audit, alerts: { alertsOfTheOutage: number; otherAlerts: number }): boolean {
  return audited.acknowledged > 0 && isWhole(audited) && alerts.alertsOfTheOutage === 1 && alerts.otherAlerts === 0;
}

/** Acknowledgements are reported ten times per second: the first report after a kill may be from before it. */
export async function waitForAcknowledgement(agents: Load): Promise<void> {
  await wait(250);
  const before = agents.acknowledged();
  await until(
    async () => agents.acknowledged(),
    now => now > before,
    backWithinMs,
  );
}

/** Open alerts of a monitor, and all other alerts. */
export async function countAlerts(
  databaseUrl: string,
  monitorId: string,
): Promise<{ alertsOfTheOutage: number; otherAlerts: number }> {
  const row = await withSql(
    databaseUrl,
    sql =>
      sql.row<{ outage: number; total: number }>`
        select count(*) filter (where monitor_id = ${monitorId} and resolved_at is null) as outage,
          count(*) as total
        from alerts`,
  );
  const [outage, total] = [row?.outage ?? Number.NaN, row?.total ?? Number.NaN];
  return { alertsOfTheOutage: outage, otherAlerts: total - outage };
}
