import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newId } from '#shared/ids.ts';
import { wait } from '#shared/wait.ts';
import { startProgram } from '../bench/program.ts';
import { type Row, type RowRun, round } from '../bench/row.ts';
import { makeScratch } from '../suite/scratch.ts';
import { type Gateway, gatewaySecret, makeAssignment, startGateway } from '../support/gateway.ts';
import { startTarget } from '../support/target.ts';

const monitors = 60;
const intervalMs = 200;
/** Long enough to overflow the 5,000 results that memory holds: 300 per second. */
const fullMs = { small: 25_000, full: 120_000 };
const syncErrorMs = { small: 8000, full: 60_000 };
const lateMs = 250;
/** What a spool holds while checks go on and are acknowledged. */
const busySpool = 2 * monitors;
const target = { alive: true, lateShare: 0.001, lostWithoutCount: 0, failingShown: 1 };

/**
 * R12: the agent’s disk is full while the control plane acknowledges nothing, so that results must be dropped; then
 * each sync fails while it acknowledges. The agent must go on checking, on time, and count what it loses.
 */
export async function failDisk(run: RowRun): Promise<Row> {
  const { folder } = run.opened.use(await makeScratch());
  const fault = join(folder, 'fault');
  const setFault = (name: string) => writeFileSync(fault, name);
  const served = run.opened.use(await startTarget());
  const gateway = run.opened.use(await startGateway({ pingMs: 5000 }));
  for (let index = 0; index < monitors; index++) {
    const assignment = makeAssignment({
      monitor_id: newId('mon'),
      url: served.url,
      interval_ms: intervalMs,
      timeout_ms: intervalMs - 10,
      offset_ms: Math.floor((index * intervalMs) / monitors),
    });
    gateway.assigned.set(assignment.monitor_id, assignment);
  }
  setFault('');
  const env = {
    CONTROL_PLANE_URL: gateway.url,
    AGENT_SECRET: gatewaySecret,
    DATA_DIR: join(folder, 'agent'),
    ADDRESS_POLICY: 'loopback',
    LOG_LEVEL: 'warn',
    DISK_FAULT_FILE: fault,
  };
  const preload = fileURLToPath(new URL('harness/failing-disk.ts', import.meta.url));
  const logFile = join(folder, 'agent.log');
  const agent = run.opened.use(startProgram('agent/main.ts', { env, logFile, execArgv: ['--import', preload] }));
  await gateway.until(() => gateway.results.length > 100);
  run.progress('the disk is full, and nothing is acknowledged');
  gateway.acknowledge = false;
  setFault('full');
  await wait(run.full ? fullMs.full : fullMs.small);
  setFault('');
  gateway.acknowledge = true;
  // What was sent without an acknowledgement is sent again over the next connection.
  gateway.drop();
  await waitForSpool(gateway, busySpool);
  run.progress('every sync fails');
  setFault('eio');
  await wait(run.full ? syncErrorMs.full : syncErrorMs.small);
  const alive = agent.process.exitCode === null && gateway.isConnected;
  setFault('');
  await waitForSpool(gateway, busySpool);
  gateway.assign([], [...gateway.assigned.keys()]);
  await wait(1000);
  await waitForSpool(gateway, 0);

  const vitals = gateway.of('vitals');
  const dropped = Math.max(0, ...vitals.map(message => message.spool.dropped));
  const delivered = new Map(gateway.results.map(result => [keyOf(result), result]));
  const starts = [...delivered.values()].filter(result => result.kind === 'scheduled' && result.attempt === 1);
  const late = starts.filter(result => result.started_at > result.scheduled_at + lateMs).length;
  const failing = vitals.filter(message => message.spool.failing === true).length;
  const figure = {
    alive,
    checks: served.requests.length,
    lateShare: round(late / Math.max(1, starts.length), 4),
    dropped,
    lost: Math.max(0, served.requests.length - delivered.size),
    // A check that timed out before its request was sent has a result, too.
    lostWithoutCount: Math.max(0, served.requests.length - delivered.size - dropped),
    failingShown: failing,
  };
  const onTime = figure.lateShare < target.lateShare && figure.lostWithoutCount === 0;
  return {
    name: 'R12',
    figure,
    target,
    pass: alive && dropped > 0 && onTime && failing >= target.failingShown,
    versions: { node: process.version },
    samples: { delivered: delivered.size, vitals: vitals.length, connections: gateway.connections },
  };
}

/** Waits for vitals that report at most a number of results in the spool. */
async function waitForSpool(gateway: Gateway, countMax: number): Promise<void> {
  const seen = gateway.of('vitals').length;
  await gateway.until(() =>
    gateway
      .of('vitals')
      .slice(seen)
      .some(message => message.spool.count <= countMax),
  );
}

function keyOf(result: { monitor_id: string; kind: string; scheduled_at: number; attempt: number }): string {
  return [result.monitor_id, result.kind, result.scheduled_at, result.attempt].join(' ');
}
