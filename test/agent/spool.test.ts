import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Spool, type SpoolOptions } from '#agent/spool.ts';
import { openSpoolFile, SpoolFile } from '#agent/spool-file.ts';
import { createLog } from '#shared/log.ts';
import { makeResult } from '../support/results.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-spool-'));
test.after.always(() => rmSync(folder, { recursive: true }));
let folders = 0;
const newFolder = () => join(folder, String(folders++));

function openSpool(directory: string, changes: Partial<SpoolOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ name: 'spool', level: 'info', destination: { write: line => lines.push(line) } });
  const options = { bytesMax: 10_000_000, ageMaxMs: 3_600_000, now: () => 5_000_000, onRows: () => undefined };
  const spool = new Spool({ directory, log, ...options, ...changes });
  return { spool, lines, [Symbol.dispose]: () => spool.close() };
}

const seqs = (spool: Spool) => spool.readAfter(0, 10_000).map(row => row.seq);

test('results are read back in order, and an acknowledged one is gone, also after a restart', t => {
  const directory = newFolder();
  {
    using opened = openSpool(directory);
    for (let i = 0; i < 5; i++) opened.spool.append(makeResult({ scheduled_at: i }));
    opened.spool.flush();
    t.deepEqual(seqs(opened.spool), [1, 2, 3, 4, 5]);
    opened.spool.acknowledge(3);
    t.deepEqual(seqs(opened.spool), [4, 5]);
  }
  using again = openSpool(directory);
  t.deepEqual(seqs(again.spool), [4, 5]);
  t.is(again.spool.counts.count, 2);
  t.is(JSON.parse(again.spool.readAfter(0, 1)[0]?.text ?? '').scheduled_at, 3);
});

test('numbers go on after a restart, also when all was acknowledged', t => {
  const directory = newFolder();
  for (const expected of [1, 2, 3]) {
    using opened = openSpool(directory);
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.deepEqual(seqs(opened.spool), [expected]);
    opened.spool.acknowledge(expected);
  }
});

test('a failure is on disk at once, a success waits for its batch', async t => {
  const waited = async (status: 'ok' | 'err') => {
    const written = Promise.withResolvers<void>();
    using opened = openSpool(newFolder(), { onRows: written.resolve });
    const begunMs = performance.now();
    opened.spool.append(makeResult({ status }));
    await written.promise;
    t.is(seqs(opened.spool).length, 1);
    return performance.now() - begunMs;
  };
  const [success, failure] = [await waited('ok'), await waited('err')];
  t.true(success >= 245 && failure < success, `${failure} and ${success} ms`);
});

test('beyond its size the oldest are dropped and counted', t => {
  using opened = openSpool(newFolder(), { bytesMax: 20_000 });
  for (let i = 0; i < 200; i++) {
    opened.spool.append(makeResult());
    opened.spool.flush();
  }
  const kept = seqs(opened.spool);
  const { count, bytes, dropped } = opened.spool.counts;
  t.is(kept.at(-1), 200);
  t.is(count, kept.length);
  t.is(count + dropped, 200);
  t.true(bytes <= 21_000 && count > 20);
});

test('beyond its age the oldest are dropped and counted', t => {
  const directory = newFolder();
  {
    using opened = openSpool(directory, { now: () => 1000 });
    opened.spool.append(makeResult());
    opened.spool.append(makeResult());
  }
  using later = openSpool(directory, { now: () => 4_000_000 });
  later.spool.append(makeResult());
  later.spool.flush();
  t.deepEqual(seqs(later.spool), [3]);
  t.is(later.spool.counts.dropped, 2);
});

test('a file that is no spool is moved aside and named in the log', t => {
  const directory = newFolder();
  openSpool(directory).spool.close();
  writeFileSync(join(directory, 'spool.sqlite'), 'this is no database at all, but long enough to be looked at');
  using opened = openSpool(directory);
  opened.spool.append(makeResult());
  opened.spool.flush();
  t.deepEqual(seqs(opened.spool), [1]);
  t.regex(opened.lines.join(), /moved aside/);
  t.is(readdirSync(directory).filter(name => name.includes('damaged')).length, 1);
});

test('a second agent on the same folder is refused, and leaves the first one’s file alone', t => {
  const directory = newFolder();
  using first = openSpool(directory);
  first.spool.append(makeResult());
  t.throws(() => openSpool(directory), { message: /another agent uses the spool/ });
  first.spool.flush();
  t.deepEqual(seqs(first.spool), [1]);
});

for (const [what, errcode] of [
  ['full', 13],
  ['failing (EIO)', 1034],
] as const)
  test(`while the disk is ${what} results wait in bounded memory, can be sent from there, and loss is counted`, t => {
    let broken = true;
    class BrokenFile extends SpoolFile {
      override write(...parameters: Parameters<SpoolFile['write']>) {
        if (broken) throw Object.assign(new Error('no'), { errcode });
        return super.write(...parameters);
      }
    }
    const directory = newFolder();
    openSpoolFile(directory).file.close();
    const open = () => ({ file: new BrokenFile(join(directory, 'spool.sqlite')), movedTo: null });
    using opened = openSpool(directory, { open });
    opened.spool.append(makeResult());
    opened.spool.flush();
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.deepEqual(seqs(opened.spool), [1, 2]);
    opened.spool.acknowledge(1);
    t.deepEqual(seqs(opened.spool), [2]);
    for (let i = 0; i < 12_000; i++) opened.spool.append(makeResult());
    const { count, dropped } = opened.spool.counts;
    t.is(count + dropped, 12_001);
    t.true(count <= 5000);
    broken = false;
    opened.spool.flush();
    t.is(opened.spool.readAfter(0, 10_000).length, count);
    t.is(opened.lines.filter(line => line.includes('cannot be written')).length, 1);
    t.is(opened.lines.filter(line => line.includes('can be written again')).length, 1);
  });

test('what a killed process had written is there, and numbers go on', async t => {
  const directory = newFolder();
  let last = 0;
  for (let round = 0; round < 5; round++) {
    const told = await killedWriter(directory, 30 + round * 40);
    using opened = openSpool(directory, { now: Date.now, ageMaxMs: 1e12 });
    const kept = seqs(opened.spool);
    t.true(told > last && kept.includes(told));
    t.deepEqual(
      kept,
      kept.map((_, place) => place + 1),
    );
    last = kept.at(-1) ?? 0;
  }
});

test('a spool whose log is cut anywhere opens and has a beginning of what was written', async t => {
  const directory = newFolder();
  await killedWriter(directory, 100);
  const wal = join(directory, 'spool.sqlite-wal');
  const size = statSync(wal).size;
  t.true(size > 0);
  for (let round = 0; round < 40; round++) {
    const copy = newFolder();
    cpSync(directory, copy, { recursive: true });
    truncateSync(join(copy, 'spool.sqlite-wal'), Math.floor(Math.random() * size));
    using opened = openSpool(copy, { now: Date.now, ageMaxMs: 1e12 });
    const kept = seqs(opened.spool);
    t.deepEqual(
      kept,
      kept.map((_, place) => place + 1),
    );
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.is(opened.spool.counts.count, kept.length + 1);
  }
  t.true(readFileSync(wal).length === size);
});

/** Runs a writer, kills it some time after its first word; the last number it told to be on disk. */
async function killedWriter(directory: string, afterMs: number): Promise<number> {
  const file = join(import.meta.dirname, '..', 'support', 'spool-writer.ts');
  const child = spawn(process.execPath, [file, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', chunk => {
    if (text === '') setTimeout(() => child.kill('SIGKILL'), afterMs);
    text += chunk;
  });
  await new Promise(resolve => child.once('close', resolve));
  return Number(text.split('\n').slice(0, -1).at(-1));
}
