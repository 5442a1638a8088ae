import { join } from 'node:path';
import PQueue from 'p-queue';
import { enrollAgent } from '#control-plane/monitoring/agents/enroll.ts';
import { insertRegion } from '#control-plane/monitoring/agents/store.ts';
import { apiOf, createTenant, withSql } from '../../support/control-plane.ts';
import { startProgram } from '../program.ts';
import type { RowRun } from '../row.ts';
import type { Site } from '../site.ts';
import type { LoadCommand, LoadReport, Sent } from './protocol.ts';

export type LoadOptions = {
  monitors: number;
  agentsPerRegion: number;
  resultsPerMessage: number;
  resultsPerSecond: number | null;
  /** Whether the first monitor is down everywhere from the start. */
  outage: boolean;
};

/** A load generator: agents of three regions that report for all monitors of a site. */
export type Load = {
  monitorIds: readonly string[];
  /** Of the project that has the monitors. */
  token: string;
  /** Results acknowledged so far, reported ten times per second. */
  acknowledged(): number;
  go(): void;
  /** Stops sending and resolves when everything sent is acknowledged. */
  drain(): Promise<Extract<LoadReport, { type: 'drained' }>>;
  ledger(): Promise<readonly Sent[]>;
};

const regions = ['ap-south', 'eu-west', 'us-east'];
const intervalSeconds = 60;

/** Creates monitors and agents as the product does, and starts the generator, which waits for `go`. */
export async function openLoad(site: Site, run: RowRun, options: LoadOptions): Promise<Load> {
  const { token } = await createTenant(site.databaseUrl, ['*'], 'enterprise');
  const secrets = await enrolAgents(site.databaseUrl, options.agentsPerRegion);
  const monitorIds = await createMonitors(site.url, token, options.monitors);
  run.progress(`${monitorIds.length} monitors, ${secrets.length} agents`);
  const monitors = monitorIds.map((id, index) => ({ id, down: options.outage && index === 0 }));
  const agents = secrets.map(({ region, secret, share }) => ({
    region,
    secret,
    monitors: monitors.filter((_, index) => index % options.agentsPerRegion === share),
  }));
  const generator = run.opened.use(
    startProgram('test/bench/load/generator.ts', { logFile: join(site.folder, 'load.log') }),
  );
  const send = (command: LoadCommand) => void generator.process.send(command);
  let acknowledged = 0;
  generator.process.on('message', (report: LoadReport) => {
    if (report.type === 'progress') acknowledged = report.acknowledged;
  });
  const ready = generator.message<Extract<LoadReport, { type: 'ready' }>>('ready');
  send({ type: 'plan', plan: { url: site.url, agents, ...options } });
  await ready;
  const request = <Report extends LoadReport>(command: LoadCommand, type: Report['type']) => {
    const answer = generator.message<Report>(type);
    send(command);
    return answer;
  };
  return {
    monitorIds,
    token,
    acknowledged: () => acknowledged,
    go: () => send({ type: 'go' }),
    drain: () => request<Extract<LoadReport, { type: 'drained' }>>({ type: 'drain' }, 'drained'),
    ledger: async () => (await request<Extract<LoadReport, { type: 'ledger' }>>({ type: 'ledger' }, 'ledger')).sent,
  };
}

function enrolAgents(
  databaseUrl: string,
  perRegion: number,
): Promise<{ region: string; secret: string; share: number }[]> {
  return withSql(databaseUrl, async sql => {
    const agents: { region: string; secret: string; share: number }[] = [];
    for (const code of regions) {
      await insertRegion(sql, { code, name: code, projectId: null }, Date.now());
      for (let share = 0; share < perRegion; share++) {
        const agent = await enrollAgent(sql, code, `${code}-${share}`, Date.now());
        if (agent !== null) agents.push({ region: code, secret: agent.secret, share });
      }
    }
    return agents;
  });
}

async function createMonitors(url: string, token: string, count: number): Promise<string[]> {
  const api = apiOf(url, token);
  const queue = new PQueue({ concurrency: 8 });
  const create = async (index: number): Promise<string> => {
    const monitor = {
      name: `Monitor ${index}`,
      url: `https://service-${index}.example.com/healthz`,
      interval_seconds: intervalSeconds,
      regions,
      assertions: [{ type: 'body_contains', value: '"status":"ok"' }],
    };
    const answer = await api('POST', '/v0/monitors', monitor);
    if (answer.status !== 201) throw new Error(`the monitor was not created: ${JSON.stringify(answer.body)}`);
    return String(answer.body.id);
  };
  return Promise.all(Array.from({ length: count }, (_, index) => queue.add(() => create(index))));
}
