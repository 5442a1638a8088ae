import { wait } from '#shared/wait.ts';
import { quantile, type RowRun, round } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';
import { apiOf, createRegions, createTenant, until, withSql } from '../../support/control-plane.ts';
import { connectFakeAgent, type FakeAgent, goodResult } from '../../support/fake-agent.ts';
import { startAgents, threeRegions } from '../harness/agents.ts';
import { startProber, summarise } from '../harness/prober.ts';
import { openServices, type Service } from '../harness/services.ts';
import type { Slack } from '../harness/slack.ts';

/** Figures of a project that does nothing wrong, by which the bound of all H rows is judged. */
export type Experience = {
  acknowledgedMs: number;
  alertSeconds: number | null;
  slackSeconds: number | null;
  healthzP99Ms: number;
  healthzUnanswered: number;
  serverErrors: number;
  apiUnanswered: number;
};

/** The bound, as the scorecard states it. */
export const bound = { acknowledgedMs: 5000, alertSeconds: 20, slackSeconds: 20, healthzP99Ms: 500, serverErrors: 0 };

/** Another project: three real agents, a service that fails at a chosen moment, Slack, and clients that keep asking. */
export type Bystander = {
  /** Figures from here on. */
  begin(): Promise<void>;
  /** The service fails; resolves when alert and Slack message are there, or after `withinMs`. */
  outage(withinMs: number): Promise<void>;
  experience(): Promise<Experience>;
};

const reportEveryMs = 500;
const watchRegion = 'watch';

export async function openBystander(run: RowRun, site: Site, slack: Slack): Promise<Bystander> {
  const { token } = await createTenant(site.databaseUrl);
  const api = apiOf(site.url, token);
  await api('PUT', '/v0/slack', { bot_token: 'xoxb-bystander-0123456789' });
  await startAgents(site, run);
  const alert_policy = { severity: 'p1', slack_channel: '#ops', escalate_after_minutes: null };
  const services = await openServices(site, run, api, {
    count: 1,
    regions: threeRegions,
    monitor: { alert_policy, quorum: 2 },
  });
  const reporter = await startReporter(run, site, api);
  await services.allUp();
  const prober = startProber(run, site, site.url, [
    { name: 'healthz', path: '/healthz', everyMs: 100 },
    { name: 'api', path: '/v0/monitors?limit=5', token, everyMs: 500 },
  ]);
  let times: { alertSeconds: number | null; slackSeconds: number | null } = { alertSeconds: null, slackSeconds: null };
  const [service] = services.list;
  return {
    begin: async () => {
      await prober.take();
      reporter.reset();
    },
    outage: async withinMs => {
      if (service === undefined) return;
      times = await watchOutage(site, slack, service, withinMs);
      run.progress(`alert after ${times.alertSeconds} s, Slack after ${times.slackSeconds} s`);
    },
    experience: async () => {
      const samples = await prober.take();
      const [healthz, calls] = [summarise(samples, 'healthz'), summarise(samples, 'api')];
      return {
        acknowledgedMs: reporter.worstMs(),
        ...times,
        healthzP99Ms: healthz.p99Ms,
        healthzUnanswered: healthz.unanswered,
        serverErrors: healthz.serverErrors + calls.serverErrors,
        apiUnanswered: calls.unanswered,
      };
    },
  };
}

async function watchOutage(site: Site, slack: Slack, service: Service, withinMs: number) {
  const failedAt = service.fail();
  const read = async () => ({
    alertedAt: await readAlert(site.databaseUrl, service.monitorId),
    postedAt: slack.messages.find(message => message.text.includes('Service 0'))?.at ?? null,
  });
  const found = await until(read, times => times.alertedAt !== null && times.postedAt !== null, withinMs).catch(read);
  const seconds = (at: number | null) => (at === null ? null : round((at - failedAt) / 1000, 1));
  return { alertSeconds: seconds(found.alertedAt), slackSeconds: seconds(found.postedAt) };
}

function readAlert(databaseUrl: string, monitorId: string): Promise<number | null> {
  return withSql(databaseUrl, async sql => {
    const row = await sql.row<{ created_at: number }>`
      select created_at
      from alerts
      where monitor_id = ${monitorId}`;
    return row?.created_at ?? null;
  });
}

/** An agent that reports twice per second and measures how long each acknowledgement takes. */
async function startReporter({ opened }: RowRun, site: Site, api: ReturnType<typeof apiOf>) {
  const secrets = await createRegions(site.databaseUrl, [watchRegion]);
  const body = { name: 'Watched', url: 'http://127.0.0.1:1/', interval_seconds: 10, regions: [watchRegion] };
  const monitorId = String((await api('POST', '/v0/monitors', body)).body.id);
  let waits: number[] = [];
  let waitingSince: number | null = null;
  let stopped = false;
  let agent: FakeAgent | null = null;
  const report = async (): Promise<void> => {
    while (!stopped) {
      waitingSince ??= performance.now();
      try {
        agent ??= await connectFakeAgent(site.url, secrets[watchRegion]?.secret ?? '');
        const closed = agent.closed.then(() => Promise.reject(new Error('closed')));
        await Promise.race([agent.report([goodResult(monitorId, Date.now())]), closed]);
        waits.push(performance.now() - waitingSince);
        waitingSince = null;
      } catch {
        agent = null;
      }
      await wait(reportEveryMs);
    }
  };
  void report();
  opened.defer(() => {
    stopped = true;
    agent?.vanish();
  });
  return {
    reset: () => {
      waits = [];
    },
    /** Counts the report that is still waiting, too. */
    worstMs: () => {
      const waiting = waitingSince === null ? [] : [performance.now() - waitingSince];
      return round(quantile([...waits, ...waiting], 1), 0);
    },
  };
}
