import { join } from 'node:path';
import PQueue from 'p-queue';
import { enrolAgent } from '#control-plane/agents/enrol.ts';
import { insertRegion } from '#control-plane/agents/store.ts';
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
  /** The first monitor is down everywhere, from the beginning. */
  outage: boolean;
};

/** A load generator at the site: agents of three regions that report for all its monitors. */
export type Load = {
  monitorIds: readonly string[];
  /** Acknowledged until now, by the last report; ten a second. */
  acknowledged(): number;
  go(): void;
  /** Sends nothing new and resolves when all that was sent is acknowledged. */
  drain(): Promise<Extract<LoadReport, { type: 'drained' }>>;
  ledger(): Promise<readonly Sent[]>;
};

const regions = ['ap-south', 'eu-west', 'us-east'];
const intervalSeconds = 60;

/** Makes monitors and agents as the product makes them and starts the generator, which waits for `go`. */
export async function openLoad(site: Site, run: RowRun, options: LoadOptions): Promise<Load> {
  const { token } = await createTenant(site.databaseUrl);
  const secrets = await enrolAgents(site.databaseUrl, options.agentsPerRegion);
  const monitorIds = await makeMonitors(site.url, token, options.monitors);
  run.progress(`${monitorIds.length} monitors, ${secrets.length} agents`);
  const monitors = monitorIds.map((id, place) => ({ id, down: options.outage && place === 0 }));
  const agents = secrets.map(({ region, secret, place }) => ({
    region,
    secret,
    monitors: monitors.filter((_, index) => index % options.agentsPerRegion === place),
  }));
  const generator = run.opened.use(
    startProgram('test/bench/load/generator.ts', { logFile: join(site.folder, 'load.log') }),
  );
  const tell = (command: LoadCommand) => void generator.process.send(command);
  let acknowledged = 0;
  generator.process.on('message', (report: LoadReport) => {
    if (report.type === 'progress') acknowledged = report.acknowledged;
  });
  const ready = generator.message<Extract<LoadReport, { type: 'ready' }>>('ready');
  tell({ type: 'plan', plan: { url: site.url, agents, ...options } });
  await ready;
  const ask = <Report extends LoadReport>(command: LoadCommand, type: Report['type']) => {
    const answer = generator.message<Report>(type);
    tell(command);
    return answer;
  };
  return {
    monitorIds,
    acknowledged: () => acknowledged,
    go: () => tell({ type: 'go' }),
    drain: () => ask<Extract<LoadReport, { type: 'drained' }>>({ type: 'drain' }, 'drained'),
    ledger: async () => (await ask<Extract<LoadReport, { type: 'ledger' }>>({ type: 'ledger' }, 'ledger')).sent,
  };
}

function enrolAgents(
  databaseUrl: string,
  perRegion: number,
): Promise<{ region: string; secret: string; place: number }[]> {
  return withSql(databaseUrl, async sql => {
    const agents: { region: string; secret: string; place: number }[] = [];
    for (const code of regions) {
      await insertRegion(sql, { code, name: code, projectId: null }, Date.now());
      for (let place = 0; place < perRegion; place++) {
        const agent = await enrolAgent(sql, code, `${code}-${place}`, Date.now());
        if (agent !== null) agents.push({ region: code, secret: agent.secret, place });
      }
    }
    return agents;
  });
}

async function makeMonitors(url: string, token: string, count: number): Promise<string[]> {
  const api = apiOf(url, token);
  const queue = new PQueue({ concurrency: 8 });
  const make = async (place: number): Promise<string> => {
    const monitor = {
      name: `Monitor ${place}`,
      url: `https://service-${place}.example.com/healthz`,
      interval_seconds: intervalSeconds,
      regions,
      assertions: [{ type: 'body_contains', value: '"status":"ok"' }],
    };
    const answer = await api('POST', '/v0/monitors', monitor);
    if (answer.status !== 201) throw new Error(`no monitor was made: ${JSON.stringify(answer.body)}`);
    return String(answer.body.id);
  };
  return Promise.all(Array.from({ length: count }, (_, place) => queue.add(() => make(place))));
}
