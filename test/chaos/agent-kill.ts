import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { newId } from '#shared/ids.ts';
import { wait } from '#shared/wait.ts';
import { type Gateway, gatewaySecret, makeAssignment, startGateway } from '../support/gateway.ts';
import { startTarget } from '../support/target.ts';

/** The row R3, printed as one line of JSON. */
export type AgentKillResult = {
  name: 'R3';
  figure: { lost: number };
  target: { lost: 0 };
  samples: { kills: number; spooled: number; delivered: number; repeated: number };
  versions: { node: string };
};

const monitors = 50;
const main = join(import.meta.dirname, '..', '..', 'agent', 'main.ts');

/**
 * Kills a real agent during its checks, `times` times. Everything in its spool at each kill must reach the gateway in
 * the end. The gateway acknowledges in every other round only, so that there is always something to lose.
 */
export async function agentKill(times: number): Promise<AgentKillResult> {
  const folder = mkdtempSync(join(tmpdir(), 'upquorum-kill-'));
  await using target = await startTarget();
  await using gateway = await startGateway();
  for (let i = 0; i < monitors; i++) {
    const url = `${target.url}${i % 5 === 0 ? 'fails' : ''}`;
    const assertions = [{ type: 'status', operator: 'eq', value: i % 5 === 0 ? 500 : 200 } as const];
    const assignment = makeAssignment({
      monitor_id: newId('mon'),
      url,
      interval_ms: 200,
      timeout_ms: 200,
      offset_ms: i * 4,
      assertions,
    });
    gateway.assigned.set(assignment.monitor_id, assignment);
  }
  const spooled = new Map<string, number>();
  try {
    for (let round = 0; round < times; round++) {
      gateway.acknowledge = round % 2 === 1;
      await runAndKill(gateway, folder);
      for (const key of keysOnDisk(folder)) spooled.set(key, round);
    }
    gateway.acknowledge = true;
    await deliverRemaining(gateway, folder);
    const delivered = new Set(gateway.results.map(result => keyOf(result)));
    const lost = [...spooled.keys()].filter(key => !delivered.has(key)).length;
    return {
      name: 'R3',
      figure: { lost },
      target: { lost: 0 },
      samples: {
        kills: times,
        spooled: spooled.size,
        delivered: delivered.size,
        repeated: gateway.results.length - delivered.size,
      },
      versions: { node: process.version },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAndKill(gateway: Gateway, folder: string): Promise<void> {
  const count = gateway.results.length;
  const child = startAgent(gateway.url, folder);
  await gateway.until(() => gateway.results.length > count);
  await wait(300 + Math.random() * 700);
  await end(child, 'SIGKILL');
  await gateway.until(() => !gateway.isConnected);
}

async function deliverRemaining(gateway: Gateway, folder: string): Promise<void> {
  gateway.assigned.clear();
  const child = startAgent(gateway.url, folder);
  const vitals = gateway.of('vitals').length;
  await gateway.until(() =>
    gateway
      .of('vitals')
      .slice(vitals)
      .some(message => message.spool.count === 0),
  );
  await end(child, 'SIGTERM');
}

function startAgent(url: string, folder: string): ChildProcess {
  return spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      CONTROL_PLANE_URL: url,
      AGENT_SECRET: gatewaySecret,
      DATA_DIR: folder,
      ADDRESS_POLICY: 'loopback',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exit = new Promise(resolve => child.once('exit', resolve));
  child.kill(signal);
  await exit;
}

/** The results that a killed agent left on disk. Reads a copy, because reading would do the next start's repair. */
function keysOnDisk(folder: string): string[] {
  const copy = mkdtempSync(join(tmpdir(), 'upquorum-killed-'));
  for (const file of readdirSync(folder)) if (file.startsWith('spool')) cpSync(join(folder, file), join(copy, file));
  const database = new DatabaseSync(join(copy, 'spool.sqlite'));
  const rows = database.prepare('select text from results').all();
  database.close();
  rmSync(copy, { recursive: true });
  return rows.map(row => keyOf(JSON.parse(String(row.text))));
}

function keyOf(result: { monitor_id: string; kind: string; scheduled_at: number; attempt: number }): string {
  return [result.monitor_id, result.kind, result.scheduled_at, result.attempt].join(' ');
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await agentKill(Number(process.argv[2] ?? 10)))}\n`);
