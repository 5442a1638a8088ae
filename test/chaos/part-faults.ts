import { wait } from '#shared/wait.ts';
import type { Replica, Site } from '../bench/site.ts';
import type { TestNats } from '../support/nats.ts';
import { killServer, signalServer } from './database-kill.ts';
import type { SmallDisk } from './harness/small-disk.ts';

/** The processes of an installation; the site's own control plane is gateway and front. */
export type Parts = {
  site: Site;
  nats: TestNats;
  workers: Replica[];
  startWorker(index: number): Promise<void>;
  /** Of the last NATS server; null where nothing may be mounted. */
  disk: SmallDisk | null;
  databaseAwayMs: number;
};

export type PartFault = { name: string; act(parts: Parts): Promise<void> };

const natsServers = 3;
/** Longer than the lease of a stream. */
const workerAwayMs = 20_000;
const diskFullMs = 12_000;

/** What happens to the parts, in turn. Each ends whole again. */
export const partFaults: readonly PartFault[] = [
  {
    name: 'kill the gateway',
    act: async ({ site }) => {
      await site.controlPlane().end('SIGKILL');
      await wait(random(0, 3000));
      await site.startControlPlane();
    },
  },
  {
    name: 'kill a worker for longer than its leases',
    act: async ({ workers, startWorker }) => {
      const index = pick(workers.length);
      await workers[index]?.program.end('SIGKILL');
      await wait(workerAwayMs);
      await startWorker(index);
    },
  },
  {
    name: 'stop a worker',
    act: async ({ workers }) => {
      const worker = workers[pick(workers.length)]?.program.process;
      worker?.kill('SIGSTOP');
      await wait(random(8000, 15_000));
      worker?.kill('SIGCONT');
    },
  },
  {
    name: 'kill both workers and restart them at once',
    act: async ({ workers, startWorker }) => {
      await Promise.all(workers.map(({ program }) => program.end('SIGKILL')));
      await Promise.all(workers.map((_, index) => startWorker(index)));
    },
  },
  {
    name: 'kill one NATS server',
    act: async ({ nats }) => {
      const server = pick(natsServers);
      await nats.kill(server);
      await wait(random(1000, 5000));
      await nats.start(server);
    },
  },
  {
    name: 'stop one NATS server',
    act: async ({ nats }) => {
      const server = pick(natsServers);
      nats.signal('SIGSTOP', server);
      await wait(random(8000, 15_000));
      nats.signal('SIGCONT', server);
    },
  },
  {
    name: 'kill PostgreSQL',
    act: async ({ site }) => {
      killServer(site);
      await wait(random(0, 5000));
      await site.restartDatabase();
    },
  },
  {
    name: 'kill two NATS servers',
    act: async ({ nats }) => {
      const pair = others(pick(natsServers));
      await Promise.all(pair.map(server => nats.kill(server)));
      await wait(random(1000, 5000));
      await Promise.all(pair.map(server => nats.start(server)));
    },
  },
  {
    name: 'stop the gateway',
    act: async ({ site }) => {
      const gateway = site.controlPlane().process;
      gateway.kill('SIGSTOP');
      await wait(random(8000, 15_000));
      gateway.kill('SIGCONT');
    },
  },
  {
    name: 'stop two NATS servers',
    act: async ({ nats }) => {
      const pair = others(pick(natsServers));
      for (const server of pair) nats.signal('SIGSTOP', server);
      await wait(random(8000, 15_000));
      for (const server of pair) nats.signal('SIGCONT', server);
    },
  },
  {
    name: 'stop PostgreSQL',
    act: async ({ site }) => {
      signalServer(site, 'SIGSTOP');
      await wait(random(8000, 15_000));
      signalServer(site, 'SIGCONT');
    },
  },
  {
    name: 'fill the disk of one NATS server, then free it and restart the server',
    act: async ({ nats, disk }) => {
      if (disk === null) return;
      await disk.fill();
      await wait(diskFullMs);
      await disk.free();
      await nats.kill(natsServers - 1);
      await nats.start(natsServers - 1);
    },
  },
  {
    name: 'the database is away for long',
    act: async ({ site, databaseAwayMs }) => {
      killServer(site);
      await wait(databaseAwayMs);
      await site.restartDatabase();
    },
  },
];

function random(min: number, max: number): number {
  return min + Math.random() * (max - min);
}

function pick(count: number): number {
  return Math.floor(Math.random() * count);
}

function others(server: number): number[] {
  return [0, 1, 2].filter(other => other !== server);
}
