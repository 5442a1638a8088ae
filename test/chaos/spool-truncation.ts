import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSpoolFile, SpoolFile, type SpoolRow } from '#agent/spool/spool-file.ts';
import type { Row, RowRun } from '../bench/row.ts';
import { makeScratch } from '../suite/scratch.ts';

const cuts = { small: 1000, full: 100_000 };
const cutsPerCommit = 4;
const progressEvery = 5000;
const rowsPerCommitMax = 20;
const heldRowsMax = 300;
const pageBytes = 4096;
const target = { notOpened: 0, replaced: 0, lost: 0, invented: 0 };

/** The two files of a spool, as they are on disk after a commit. */
type Snapshot = { database: Buffer; log: Buffer };
type Outcome = 'before' | 'after' | 'notOpened' | 'replaced' | 'lost' | 'invented';

/**
 * R4: a spool is written; at each commit its write trace is cut at random points, as a crash or a torn write would,
 * and what is left is opened. It must have everything of the commit before, or everything of this one.
 */
export async function truncateSpool(run: RowRun): Promise<Row> {
  const { folder } = run.opened.use(await makeScratch());
  const wanted = run.full ? cuts.full : cuts.small;
  const counts: Record<Outcome, number> = { before: 0, after: 0, notOpened: 0, replaced: 0, lost: 0, invented: 0 };
  const path = join(folder, 'spool.sqlite');
  const spool = new SpoolFile(path);
  run.opened.defer(() => spool.close());
  const held = new Set<number>();
  let [seq, done, checkpoints] = [0, 0, 0];
  let previous = read(path);
  while (done < wanted) {
    const before = new Set(held);
    const rows = Array.from({ length: 1 + integer(rowsPerCommitMax) }, () => makeRow(++seq));
    const deleteUpTo = held.size > heldRowsMax ? seq - integer(heldRowsMax) - rowsPerCommitMax : 0;
    spool.write(deleteUpTo, rows);
    for (const row of rows) held.add(row.seq);
    for (const number of held) if (number <= deleteUpTo) held.delete(number);
    const current = read(path);
    if (!current.database.equals(previous.database)) checkpoints += 1;
    for (let index = 0; index < cutsPerCommit && done < wanted; index++, done++) {
      const outcome = reopen(join(folder, 'cut'), cutTrace(previous, current), before, held);
      counts[outcome] += 1;
      if (outcome === 'lost' || outcome === 'invented') run.progress(`cut ${done} after row ${seq}: ${outcome}`);
    }
    previous = current;
    if (done % progressEvery < cutsPerCommit) run.progress(`${done} cuts`);
    // The event loop turns, so that an interrupt ends the row.
    await new Promise(resolve => setImmediate(resolve));
  }
  const { before, after, ...bad } = counts;
  return {
    name: 'R4',
    figure: { cuts: done, ...bad },
    target,
    pass: Object.values(bad).every(count => count === 0),
    versions: { node: process.version, sqlite: process.versions.sqlite ?? '' },
    samples: { rows: seq, checkpoints, openedAsBefore: before, openedAsAfter: after },
  };
}

/**
 * The files in the middle of the writes that led from one commit to the next. First the log is written and synced;
 * then, in a checkpoint, pages of the database in any order, while the log is whole.
 */
function cutTrace(previous: Snapshot, current: Snapshot): Snapshot {
  const checkpointed = !current.database.equals(previous.database);
  if (checkpointed && Math.random() < 0.5)
    return { database: mixPages(previous.database, current.database), log: current.log };
  return { database: previous.database, log: mixPrefix(previous.log, current.log) };
}

/** The first bytes of the new file over the old one; sometimes with a torn end. */
function mixPrefix(before: Buffer, after: Buffer): Buffer {
  const from = firstDifference(before, after);
  const cut = from + integer(Math.max(1, after.length - from + 1));
  const rest = cut < before.length ? before.subarray(cut) : Buffer.alloc(0);
  const torn = Math.random() < 0.3 ? Buffer.alloc(integer(pageBytes)) : Buffer.alloc(0);
  return Buffer.concat([after.subarray(0, cut), rest.length > 0 ? rest : torn]);
}

function mixPages(before: Buffer, after: Buffer): Buffer {
  const mixed = Buffer.alloc(Math.max(before.length, after.length));
  before.copy(mixed);
  for (let at = 0; at < after.length; at += pageBytes)
    if (Math.random() < 0.5) after.copy(mixed, at, at, at + pageBytes);
  return mixed;
}

function reopen(
  folder: string,
  { database, log }: Snapshot,
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): Outcome {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'spool.sqlite'), database);
  writeFileSync(join(folder, 'spool.sqlite-wal'), log);
  try {
    const { file, movedTo } = openSpoolFile(folder);
    const found = new Set(file.readAfter(0, heldRowsMax * 10).map(row => row.seq));
    file.close();
    if (movedTo !== null) return 'replaced';
    if (isSame(found, after)) return 'after';
    if (isSame(found, before)) return 'before';
    return [...before].some(number => after.has(number) && !found.has(number)) ? 'lost' : 'invented';
  } catch {
    return 'notOpened';
  }
}

function isSame(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  return left.size === right.size && left.isSubsetOf(right);
}

function firstDifference(before: Buffer, after: Buffer): number {
  const length = Math.min(before.length, after.length);
  for (let at = 0; at < length; at += pageBytes) {
    const end = Math.min(at + pageBytes, length);
    if (before.compare(after, at, end, at, end) !== 0) return at;
  }
  return length;
}

function read(path: string): Snapshot {
  return { database: readFileSync(path), log: readFileSync(`${path}-wal`) };
}

function makeRow(seq: number): SpoolRow {
  return { seq, createdMs: Date.now(), text: `{"pad":"${'x'.repeat(200 + integer(1500))}"}` };
}

function integer(below: number): number {
  return Math.floor(Math.random() * below);
}
