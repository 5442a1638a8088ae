import { wait } from '#shared/wait.ts';
import { floodFromAgent } from './agent-flood.ts';
import type { Attack, AttackerCommand, AttackerReport } from './attack.ts';
import { receiveBadly } from './bad-receivers.ts';
import { createInBulk } from './bulk.ts';
import { sendDense } from './dense-bodies.ts';
import { previewFlaps } from './flapping-preview.ts';
import { checkHeavily } from './heavy-checks.ts';
import { listEverything } from './long-lists.ts';
import { sendOddBytes } from './odd-bytes.ts';
import { readPagesBadly } from './page-readers.ts';
import { plantFaults } from './planted-faults.ts';
import { publishAgain } from './publishing.ts';
import { stickWork } from './stuck-work.ts';
import { keepUpgrades } from './upgrades.ts';

// Its own process: its CPU and its sockets are not those of the row that measures.
const attacks: Readonly<Record<string, Attack>> = {
  H1: sendOddBytes,
  H2: readPagesBadly,
  H3: keepUpgrades,
  H4: floodFromAgent,
  H5: publishAgain,
  H6: stickWork,
  H7: listEverything,
  H8: checkHeavily,
  H9: createInBulk,
  H10: sendDense,
  H11: previewFlaps,
  H12: plantFaults,
  H13: receiveBadly,
};

const stopWithinMs = 5000;
const errorsMax = 10;
const counts: Record<string, number> = {};
const errors: string[] = [];
const abort = new AbortController();
let running: Promise<void> = Promise.resolve();

process.on('disconnect', () => process.exit(0));
process.on('uncaughtException', noteError);
process.on('message', (command: AttackerCommand) => {
  if (command.type === 'stop') return void stop();
  const attack = attacks[command.name];
  const tally = (what: string | number, count = 1) => {
    counts[what] = (counts[what] ?? 0) + count;
  };
  const begun = () => {
    const report: AttackerReport = { type: 'begun' };
    process.send?.(report);
  };
  running = attack?.(command.grounds, tally, abort.signal, begun).catch(noteError) ?? Promise.resolve();
});

const ready: AttackerReport = { type: 'ready' };
process.send?.(ready);

async function stop(): Promise<void> {
  abort.abort();
  await Promise.race([running, wait(stopWithinMs)]);
  const report: AttackerReport = { type: 'stopped', counts, errors };
  process.send?.(report);
}

function noteError(error: unknown): void {
  if (!abort.signal.aborted && errors.length < errorsMax) errors.push(String(error).slice(0, 300));
}
