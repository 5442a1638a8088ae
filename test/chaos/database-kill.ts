import { readFileSync } from 'node:fs';
import type { Row, RowRun } from '../bench/row.ts';
import type { Site } from '../bench/site.ts';
import { signalPostgres } from '../support/signal-postgres.ts';
import { measureKills } from './kills.ts';

/** R2: kill -9 of PostgreSQL, postmaster and all backends, under load. The control plane must recover by itself. */
export async function killDatabase(run: RowRun): Promise<Row> {
  const controlPlanes = new Set<number>();
  const row = await measureKills(run, {
    name: 'R2',
    times: { small: 2, full: 10 },
    killAndRestart: async site => {
      controlPlanes.add(site.controlPlane().pid);
      killServer(site);
      await site.restartDatabase();
      if (site.controlPlane().process.exitCode !== null)
        throw new Error(
          `the control plane exited with the database:\n${readFileSync(site.controlPlane().logFile, 'utf8')}`,
        );
    },
  });
  return { ...row, pass: row.pass && controlPlanes.size === 1 };
}

export function killServer(site: Site): void {
  signalServer(site, 'SIGKILL');
}

/** Sends a signal to the postmaster and all backends. */
export function signalServer(site: Site, signal: NodeJS.Signals): void {
  signalPostgres(site.postgres().pid, signal);
}
