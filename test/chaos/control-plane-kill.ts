import type { Row, RowRun } from '../bench/row.ts';
import { measureKills } from './kills.ts';

/** R1: kill -9 of the control plane under load. It is restarted, as a service manager would do. */
export function killControlPlane(run: RowRun): Promise<Row> {
  return measureKills(run, {
    name: 'R1',
    times: { small: 5, full: 50 },
    killAndRestart: async site => {
      await site.controlPlane().end('SIGKILL');
      await site.startControlPlane();
    },
  });
}
