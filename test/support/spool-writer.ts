import { Spool } from '#agent/spool.ts';
import { createLog } from '#shared/log.ts';
import { makeResult } from './results.ts';

// Writes results until it is killed, and tells each number that is on disk: the other side of the crash tests.
const spool = new Spool({
  directory: process.argv[2] ?? '',
  bytesMax: 1_000_000_000,
  ageMaxMs: Number.MAX_SAFE_INTEGER,
  now: () => Date.now(),
  log: createLog({ name: 'spool-writer', level: 'error' }),
  onRows: () => undefined,
});
let told = 0;
const write = () => {
  for (let i = 0; i < 5; i++) spool.append(makeResult({ scheduled_at: Date.now() }));
  spool.flush();
  for (const row of spool.readAfter(told, 1000)) told = row.seq;
  process.stdout.write(`${told}\n`, () => setImmediate(write));
};
write();
