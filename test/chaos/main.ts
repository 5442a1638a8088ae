import { type Row, type RowRun, type Rows, runRows } from '../bench/row.ts';
import { agentKill } from './agent-kill.ts';
import { killControlPlane } from './control-plane-kill.ts';
import { killDatabase } from './database-kill.ts';
import { killDuringDelivery } from './delivery-kill.ts';
import { killUnderEvents } from './events-kill.ts';
import { receiversDown } from './receivers-down.ts';

// `npm run chaos -- R1 --full`: rows of the scorecard on reliability.

const rows: Rows = {
  R1: { what: 'kill -9 of the control plane under load', measure: killControlPlane },
  R2: { what: 'kill -9 of PostgreSQL under load', measure: killDatabase },
  'R2-events': { what: 'kill -9 of PostgreSQL while events come in', measure: killUnderEvents },
  R3: { what: 'kill -9 of an agent during its checks', measure: killAgent },
  R13: { what: 'mail server and webhook receiver down', measure: receiversDown },
  R14: { what: 'kill -9 of the control plane during a fan-out', measure: killDuringDelivery },
};

await runRows('npm run chaos --', rows, process.argv.slice(2));

async function killAgent({ full }: RowRun): Promise<Row> {
  const row = await agentKill(full ? 50 : 10);
  return { ...row, pass: row.samples.delivered > 0 && row.figure.lost === 0 };
}
