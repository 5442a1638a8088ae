import { wait } from '#shared/wait.ts';
import type { RowRun } from '../../bench/row.ts';
import type { Site } from '../../bench/site.ts';

/** Two fronts and two workers of a site, each a process, that are killed by SIGKILL and started again. */
export type Parts = {
  /** Addresses of the fronts, which stay. */
  fronts: readonly string[];
  /**
   * Kills one worker after the other until it is stopped, which returns how often. `moment` waits for a good one, in
   * which the worker does something in the database, where it has its name.
   */
  killWorkers(
    run: RowRun,
    options?: { everyMs?: number; moment?: (worker: string) => Promise<unknown> },
  ): { stop(): Promise<number> };
  killAll(): Promise<void>;
  startAll(): Promise<void>;
};

/** Starts what the site's own process, a front, lacks. */
export async function startParts(site: Site): Promise<Parts> {
  const worker = (name: string) => {
    const url = new URL(site.databaseUrl);
    url.searchParams.set('application_name', name);
    return { ROLES: 'worker', DATABASE_URL: url.href };
  };
  const starts = {
    'front-2': { ROLES: 'front' },
    'worker-1': worker('worker-1'),
    'worker-2': worker('worker-2'),
  };
  type Name = keyof typeof starts;
  const names = Object.keys(starts) as Name[];
  const running = new Map<Name, Awaited<ReturnType<Site['startReplica']>>>();
  const start = async (name: Name) =>
    running.set(name, await site.startReplica(name, running.get(name)?.port ?? 0, starts[name]));
  const kill = async (name: Name) => running.get(name)?.program.end('SIGKILL');
  await Promise.all(names.map(start));
  return {
    fronts: [site.url, running.get('front-2')?.url ?? site.url],
    killWorkers: (run, { everyMs = 12_000, moment = async () => {} } = {}) => {
      let [stopped, kills] = [false, 0];
      const killing = (async () => {
        for (let name: Name = 'worker-1'; !stopped; name = name === 'worker-1' ? 'worker-2' : 'worker-1') {
          await wait(everyMs * (0.5 + Math.random()));
          await moment(name);
          await kill(name);
          await start(name);
          kills += 1;
          run.progress(`kill ${kills}: ${name}`);
        }
      })();
      return {
        stop: async () => {
          stopped = true;
          await killing;
          return kills;
        },
      };
    },
    killAll: async () => {
      await Promise.all([site.controlPlane().end('SIGKILL'), ...names.map(kill)]);
    },
    startAll: async () => {
      await Promise.all([site.startControlPlane(), ...names.map(start)]);
    },
  };
}
