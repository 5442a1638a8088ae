import { wait } from '#shared/wait.ts';
import type { Row, RowRun } from '../bench/row.ts';
import type { Site } from '../bench/site.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { killServer } from './database-kill.ts';
import { measureKills } from './kills.ts';

type Fault = (site: Site, nats: TestNats) => Promise<void>;

const stopMs = 8000;

/** What happens to the parts, in turn. Each ends whole again. */
const faults: readonly Fault[] = [
  async site => {
    await site.controlPlane().end('SIGKILL');
    await site.startControlPlane();
  },
  async (_, nats) => {
    await nats.kill(0);
    await wait(2000);
    await nats.start(0);
  },
  async site => {
    killServer(site);
    await wait(10_000);
    await site.restartDatabase();
  },
  async (_, nats) => {
    await Promise.all([nats.kill(1), nats.kill(2)]);
    await wait(3000);
    await Promise.all([nats.start(1), nats.start(2)]);
  },
  async site => {
    site.controlPlane().process.kill('SIGSTOP');
    await wait(stopMs);
    site.controlPlane().process.kill('SIGCONT');
  },
  async (_, nats) => {
    nats.signal('SIGSTOP', 1);
    await wait(stopMs);
    nats.signal('SIGCONT', 1);
  },
];

/** R19: three NATS servers take results in; each part is killed or stopped in turn while results come. */
export async function breakBrokers(run: RowRun): Promise<Row> {
  const nats = run.opened.use(await startNats({ servers: 3 }));
  run.progress('three NATS servers are up');
  return measureKills(run, {
    name: 'R19',
    times: { small: faults.length, full: faults.length * 5 },
    env: natsEnv(nats),
    resultsPerSecond: 1500,
    killAndRestart: async (site, kill) => faults[(kill - 1) % faults.length]?.(site, nats),
  });
}

/** The settings of a control plane that uses these servers. */
export function natsEnv({ settings }: TestNats): Record<string, string> {
  return {
    INTAKE: 'nats',
    NATS_URL: settings.connection.servers.map(server => `nats://${server}`).join(),
    NATS_MONITOR_URL: settings.monitorUrls.join(),
    NATS_STREAM_MB: String(settings.streamBytes / 1_048_576),
  };
}
