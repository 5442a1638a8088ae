import { wait } from '#shared/wait.ts';
import type { RowRun } from '../../bench/row.ts';
import { openSite, type Site } from '../../bench/site.ts';
import { apiOf, createRegions, createTenant, until, withSql } from '../../support/control-plane.ts';
import { badResults, connectFakeAgent, type FakeAgent, goodResult } from '../../support/fake-agent.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { threeRegions } from './agents.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { type Slack, startSlack } from './slack.ts';

/** Replicas, three regions' agents at three of them, and monitors whose outages the agents report at the same time. */
export type Outages = {
  site: Site;
  replicas: Replicas;
  monitorIds: readonly string[];
  /** Reports good or bad checks of these monitors from all regions at once. Resolves when `needed` have an ack each. */
  report(ids: readonly string[], status: 'ok' | 'err', needed?: number): Promise<void>;
  /** Resolves when all that was reported has its ack. */
  settled(): Promise<void>;
  /** Waits for a number of alerts in a state. */
  alerts(state: 'open' | 'resolved', count: number): Promise<void>;
  count(): Promise<OutageCounts>;
};

/** Deviations from exactly one alert per outage and one notification per step and way; all but `alerts` must be 0. */
export type OutageCounts = {
  alerts: number;
  alertsNotOne: number;
  slackNotOne: number;
  webhooksNotOne: number;
};

const atOnce = 20;
const ackWithinMs = 90_000;
const settleMs = 3000;

/** Starts three replicas that have all roles, or with `rolesApart` three of each role. */
export async function openOutages(run: RowRun, monitors: number, { rolesApart = false } = {}): Promise<Outages> {
  const slack = run.opened.use(await startSlack());
  const receiver = run.opened.use(await startReceiver());
  const site = await openSite(run, {
    ...(rolesApart ? { ROLES: 'front' } : {}),
    SLACK_API_URL: slack.apiUrl,
    OUTBOUND_ADDRESS_POLICY: 'loopback',
    SWEEP_HOLD_SECONDS: '600',
  });
  const replicas = await startReplicas(site, rolesApart);
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const api = apiOf(site.url, token);
  await api('PUT', '/v0/slack', { bot_token: 'xoxb-swordfish-0123456789' });
  const kinds = ['alert.opened', 'alert.resolved'];
  const hook = await api('POST', '/v0/webhooks', { url: receiver.url, kinds });
  if (hook.status !== 201) throw new Error(`the webhook was not created: ${JSON.stringify(hook.body)}`);
  const secrets = await createRegions(site.databaseUrl, threeRegions);
  const reporters = threeRegions.map((region, index) => {
    const reporter = new Reporter(replicas.gateways[index]?.url() ?? '', secrets[region]?.secret ?? '');
    run.opened.defer(() => reporter.stop());
    return reporter;
  });
  const monitorIds: string[] = [];
  for (let index = 0; index < monitors; index++) {
    const made = await api('POST', '/v0/monitors', {
      name: nameOf(index),
      url: 'http://127.0.0.1:1/',
      interval_seconds: 600,
      regions: threeRegions,
      quorum: 2,
      alert_policy: { severity: 'p1', slack_channel: '#ops', escalate_after_minutes: null },
    });
    if (made.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(made.body)}`);
    monitorIds.push(String(made.body.id));
  }
  run.progress(`${replicas.all.length} processes, ${monitors} monitors`);
  const reports = new Set<Promise<unknown>>();
  return {
    site,
    replicas,
    monitorIds,
    report: async (ids, status, needed = reporters.length) => {
      for (let start = 0; start < ids.length; start += atOnce) {
        const acks = reporters.flatMap(reporter =>
          ids.slice(start, start + atOnce).map(id => reporter.report(id, status)),
        );
        for (const ack of acks) {
          reports.add(ack);
          void ack.then(() => reports.delete(ack));
        }
        await enough(acks, (acks.length * needed) / reporters.length);
      }
    },
    settled: () => enough([...reports], reports.size),
    alerts: async (state, count) => {
      await until(
        () => countAlerts(site.databaseUrl, state),
        found => found >= count,
        ackWithinMs,
      );
    },
    count: async () => {
      await until(
        () => countQueued(site.databaseUrl),
        queued => queued === 0,
        ackWithinMs,
      );
      // A second message of a step would come now.
      await wait(settleMs);
      return countAll(site.databaseUrl, slack, receiver, monitorIds.length);
    },
  };
}

/** Resolves when as many have resolved. The others may come later, or never. */
function enough(acks: readonly Promise<unknown>[], needed: number): Promise<void> {
  return new Promise((resolve, reject) => {
    if (needed === 0) return resolve();
    let count = 0;
    const timer = setTimeout(() => reject(new Error(`${count} of ${needed} acknowledgements`)), ackWithinMs);
    for (const ack of acks)
      void ack.then(() => {
        count += 1;
        if (count < needed) return;
        clearTimeout(timer);
        resolve();
      });
  });
}

function nameOf(index: number): string {
  return `Race-${String(index).padStart(4, '0')}`;
}

/** One region's agent: repeats over the next connection what was not acknowledged, as an agent does. */
class Reporter {
  readonly #url: string;
  readonly #secret: string;
  #agent: Promise<FakeAgent> | null = null;
  #stopped = false;

  constructor(url: string, secret: string) {
    this.#url = url;
    this.#secret = secret;
  }

  async report(monitorId: string, status: 'ok' | 'err'): Promise<void> {
    // The second failed attempt ends a second after the first; a good check at once after it ends later still.
    const now = Date.now();
    const results = status === 'ok' ? [goodResult(monitorId, now)] : badResults(monitorId, now - 1100);
    while (!this.#stopped) {
      try {
        this.#agent ??= connectFakeAgent(this.#url, this.#secret);
        const agent = await this.#agent;
        const closed = agent.closed.then(() => Promise.reject(new Error('closed')));
        await Promise.race([agent.report(results), closed]);
        return;
      } catch {
        this.#agent = null;
        await wait(500);
      }
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    (await this.#agent?.catch(() => null))?.vanish();
  }
}

async function countAlerts(databaseUrl: string, state: 'open' | 'resolved'): Promise<number> {
  const rows = await withSql(databaseUrl, sql => sql.rows`select 1 from alerts where state = ${state}`);
  return rows.length;
}

async function countQueued(databaseUrl: string): Promise<number> {
  const row = await withSql(
    databaseUrl,
    sql => sql.row<{ queued: number }>`
      select (select count(*) from deliveries where state = 'queued')
        + (select count(*) from facts where done_at is null) as queued`,
  );
  return row?.queued ?? 0;
}

async function countAll(databaseUrl: string, slack: Slack, receiver: Receiver, outages: number): Promise<OutageCounts> {
  const rows = await withSql(
    databaseUrl,
    sql => sql.rows<{ count: number }>`select count(*) as count from alerts group by monitor_id`,
  );
  const posted = new Map<string, number>();
  for (const { text } of slack.messages) {
    const step = `${/Race-\d{4}/.exec(text)?.[0]} ${text.includes('Resolved') ? 'resolved' : 'opened'}`;
    posted.set(step, (posted.get(step) ?? 0) + 1);
  }
  const hooks = new Set(receiver.ids);
  const notOne = [...posted.values()].filter(count => count !== 1).length;
  return {
    alerts: rows.reduce((sum, row) => sum + row.count, 0),
    alertsNotOne: rows.filter(row => row.count !== 1).length + Math.abs(outages - rows.length),
    slackNotOne: notOne + Math.abs(2 * outages - posted.size),
    webhooksNotOne: receiver.ids.length - hooks.size + Math.abs(2 * outages - hooks.size),
  };
}
