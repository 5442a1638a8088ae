import { type Row, type RowRun, type Rows, runRows } from '../bench/row.ts';
import { agentKill } from './agent-kill.ts';
import { breakBrokers } from './broker-faults.ts';
import { wrongClocks } from './clocks.ts';
import { killControlPlane } from './control-plane-kill.ts';
import { databaseDown } from './database-down.ts';
import { killDatabase } from './database-kill.ts';
import { killDuringDelivery } from './delivery-kill.ts';
import { killUnderCounts } from './event-counts.ts';
import { killUnderMonitors } from './event-monitors.ts';
import { killUnderEvents } from './events-kill.ts';
import { failDisk } from './failing-disk.ts';
import { failOver } from './failover.ts';
import { measureHostile } from './hostile/row.ts';
import { stopLeaseHolder } from './lease-holder.ts';
import { killMigrations } from './migration-kill.ts';
import { breakParts } from './parts-apart.ts';
import { raceReplicas } from './race.ts';
import { receiversDown } from './receivers-down.ts';
import { reconnectAtOnce } from './reconnect.ts';
import { cutRegionOff } from './region-cut.ts';
import { stopEachRole } from './roles-apart.ts';
import { restartRolling } from './rolling-restart.ts';
import { simulateWorlds } from './simulated-worlds.ts';
import { truncateSpool } from './spool-truncation.ts';
import { fillStorage } from './storage-bounds.ts';
import { runTwoVersions } from './two-versions.ts';

// `npm run chaos -- R1 --full`: the rows of docs/benchmarks/reliability.md and attacks.md.

const rows: Rows = {
  R1: { what: 'kill -9 of the control plane under load', measure: killControlPlane },
  R2: { what: 'kill -9 of PostgreSQL under load', measure: killDatabase },
  'R2-events': { what: 'kill -9 of PostgreSQL while events are ingested', measure: killUnderEvents },
  R3: { what: 'kill -9 of an agent during its checks', measure: killAgent },
  R4: { what: 'the spool is opened after cuts of its write trace', measure: truncateSpool },
  R5: { what: 'the database is down for 30 s (10 min with --full)', measure: databaseDown },
  R6: { what: 'one region of three is cut off, then healed', measure: cutRegionOff },
  R7: { what: 'three replicas race the same 100 outages', measure: raceReplicas },
  R8: { what: 'the holder of a lease is stopped for three times its time', measure: stopLeaseHolder },
  R9: { what: '500 agents (2,000 with --full) reconnect at once after a restart', measure: reconnectAtOnce },
  R10: { what: 'three replicas are restarted one after the other', measure: restartRolling },
  R11: { what: 'agents whose clocks are wrong or drift', measure: wrongClocks },
  R12: { what: 'the disk of an agent is full, then every sync fails', measure: failDisk },
  R13: { what: 'SMTP server and webhook receiver down', measure: receiversDown },
  R14: { what: 'kill -9 of the control plane during a fan-out', measure: killDuringDelivery },
  R15: {
    what: '1,000 simulated worlds of faults (100,000 with --full); R15_SEED=… traces one',
    measure: simulateWorlds,
  },
  R17: { what: 'three of each role: each is stopped, then restarted, in the middle of outages', measure: stopEachRole },
  R18: { what: 'kill -9 of migrations of a new database (50 with --full)', measure: killMigrations },
  R19: { what: 'NATS takes results in: each part is killed or stopped in turn', measure: breakBrokers },
  R20: { what: 'the primary is lost and a streaming standby is promoted', measure: failOver },
  R21: {
    what: 'gateway, two workers and three NATS servers apart: each is killed or stopped, a disk is full',
    measure: breakParts,
  },
  R22: { what: 'an older version and this one share a database (OLDER_VERSION: a commit)', measure: runTwoVersions },
  R23: {
    what: 'kill -9 of workers amid counts of events, a switch of link_sessions and an erasure; brute force counts too',
    measure: killUnderCounts,
  },
  R24: {
    what: 'monitors of events while workers are killed, and while everything is away',
    measure: killUnderMonitors,
  },
  H1: { what: 'beside another project: odd bytes in path and headers', measure: measureHostile('H1') },
  H2: { what: 'beside another project: pages pipelined, without gzip, read by nobody', measure: measureHostile('H2') },
  H3: { what: 'beside another project: refused upgrades, kept and half-closed', measure: measureHostile('H3') },
  H4: { what: 'beside another project: a private agent that floods and forges', measure: measureHostile('H4') },
  H5: { what: 'beside another project: the largest texts, published again and again', measure: measureHostile('H5') },
  H6: { what: 'beside another project: stuck publication and webhooks', measure: measureHostile('H6') },
  H7: { what: 'beside another project: the longest lists in parallel', measure: measureHostile('H7') },
  H8: { what: 'beside another project: heavy checks on shared agents', measure: measureHostile('H8') },
  H9: { what: 'beside another project: tokens, subscribers and page events in bulk', measure: measureHostile('H9') },
  H10: { what: 'beside another project: bodies that are large to parse', measure: measureHostile('H10') },
  H11: { what: 'beside another project: previews of pages that flapped', measure: measureHostile('H11') },
  H12: { what: 'beside another project: all that is done for it fails', measure: measureHostile('H12') },
  H13: { what: 'beside another project: half of its receivers hang', measure: measureHostile('H13') },
  H14: { what: 'one project makes and deletes all that a token can: bytes within the bounds', measure: fillStorage },
};

await runRows('npm run chaos --', rows, process.argv.slice(2));

async function killAgent({ full }: RowRun): Promise<Row> {
  const row = await agentKill(full ? 50 : 10);
  return { ...row, pass: row.samples.delivered > 0 && row.figure.lost === 0 };
}
