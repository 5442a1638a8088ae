import { readFileSync } from 'node:fs';
import { errorCode } from '#shared/error-code.ts';
import { childrenOf } from '../bench/cpu.ts';
import type { Row, RowRun } from '../bench/row.ts';
import type { Site } from '../bench/site.ts';
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

/** Kills the postmaster first, because it would restart backends. */
export function killServer(site: Site): void {
  const postmaster = site.postgres().pid;
  const children = childrenOf(postmaster);
  for (const pid of [postmaster, ...children]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (errorCode(error) !== 'ESRCH') throw error;
    }
  }
}
