import { Spool } from '#agent/spool/spool.ts';
import { createLog } from '#shared/log.ts';
import { makeResult } from './results.ts';

// For the crash tests: writes results until it is killed, and prints the last number that is on disk.
const spool = new Spool({
  directory: process.argv[2] ?? '',
  bytesMax: 1_000_000_000,
  ageMaxMs: Number.MAX_SAFE_INTEGER,
  now: () => Date.now(),
  log: createLog({ name: 'spool-writer', level: 'error' }),
  onRows: () => undefined,
});
let lastSeq = 0;
const write = () => {
  for (let i = 0; i < 5; i++) spool.append(makeResult({ scheduled_at: Date.now() }));
  spool.flush();
  for (const row of spool.readAfter(lastSeq, 1000)) lastSeq = row.seq;
  process.stdout.write(`${lastSeq}\n`, () => setImmediate(write));
};
write();
