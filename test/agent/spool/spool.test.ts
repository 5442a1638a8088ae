import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Outbox } from '#agent/spool/outbox.ts';
import { Spool, type SpoolOptions } from '#agent/spool/spool.ts';
import { openSpoolFile, SpoolFile } from '#agent/spool/spool-file.ts';
import { ConfigError } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';
import { processTimers } from '#shared/timers.ts';
import { makeResult } from '../../support/results.ts';

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

test('results are read in order, and an acknowledged result stays deleted after a restart', t => {
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

test('numbering continues after a restart, even when everything was acknowledged', t => {
  const directory = newFolder();
  for (const expected of [1, 2, 3]) {
    using opened = openSpool(directory);
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.deepEqual(seqs(opened.spool), [expected]);
    opened.spool.acknowledge(expected);
  }
});

test('a failure is written immediately, a success after 250 ms', t => {
  for (const [status, expected] of [
    ['ok', 250],
    ['err', 0],
  ] as const) {
    const planned: { ms: number; call: () => void }[] = [];
    const after = (ms: number, call: () => void) => {
      planned.push({ ms, call });
      return { cancel: () => undefined };
    };
    using opened = openSpool(newFolder(), { timers: { ...processTimers, after } });
    opened.spool.append(makeResult({ status }));
    t.deepEqual(
      planned.map(({ ms }) => ms),
      [expected],
    );
    t.is(seqs(opened.spool).length, 0);
    planned[0]?.call();
    t.is(seqs(opened.spool).length, 1);
  }
});

test('beyond the maximum size the oldest results are dropped and counted', t => {
  using opened = openSpool(newFolder(), { bytesMax: 20_000 });
  for (let i = 0; i < 200; i++) {
    opened.spool.append(makeResult());
    opened.spool.flush();
  }
  const rows = seqs(opened.spool);
  const { count, bytes, dropped } = opened.spool.counts;
  t.is(rows.at(-1), 200);
  t.is(count, rows.length);
  t.is(count + dropped, 200);
  t.true(bytes <= 21_000 && count > 20);
});

test('what is deleted frees as much as it took, whatever its characters', t => {
  using opened = openSpool(newFolder(), { bytesMax: 20_000 });
  const message = '😀 größer, 价格 '.repeat(40);
  for (let round = 0; round < 40; round++) {
    opened.spool.append({ ...makeResult(), status: 'err', error: { code: 'connect_refused', message } });
    opened.spool.flush();
    opened.spool.acknowledge(round + 1);
    opened.spool.flush();
  }
  t.deepEqual(opened.spool.counts, { count: 0, bytes: 0, dropped: 0, failing: false });
});

test('beyond the maximum age results are dropped and counted', t => {
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

test('a corrupt file is replaced, and the log names its new path', t => {
  const directory = newFolder();
  openSpool(directory).spool.close();
  writeFileSync(join(directory, 'spool.sqlite'), 'this is no database at all, but long enough to be looked at');
  using opened = openSpool(directory);
  opened.spool.append(makeResult());
  opened.spool.flush();
  t.deepEqual(seqs(opened.spool), [1]);
  t.regex(opened.lines.join(), /replaced by an empty one/);
  t.is(readdirSync(directory).filter(name => name.includes('damaged')).length, 1);
});

test('rows of a file that becomes corrupt are counted as dropped, but for those acknowledged', t => {
  let broken = false;
  class CorruptFile extends SpoolFile {
    override write(...parameters: Parameters<SpoolFile['write']>) {
      if (broken) throw Object.assign(new Error('malformed'), { errcode: 11 });
      return super.write(...parameters);
    }
  }
  const directory = newFolder();
  mkdirSync(directory);
  const path = join(directory, 'spool.sqlite');
  const open = () => (broken ? openSpoolFile(directory) : { file: new CorruptFile(path), movedTo: null });
  using opened = openSpool(directory, { open });
  const { spool } = opened;
  for (let i = 0; i < 5; i++) spool.append(makeResult());
  spool.flush();
  spool.acknowledge(2);
  broken = true;
  spool.append(makeResult());
  spool.flush();
  writeFileSync(path, 'this is no database at all, but long enough to be looked at');
  spool.flush();
  t.like(spool.counts, { count: 1, dropped: 3, failing: false });
  t.deepEqual(seqs(spool), [6]);
  t.regex(opened.lines.join(), /"lost":3/);
});

test('a second agent on the same folder is refused and does not touch the file', t => {
  const directory = newFolder();
  using first = openSpool(directory);
  first.spool.append(makeResult());
  t.throws(() => openSpool(directory), { message: /another agent is using the spool/ });
  first.spool.flush();
  t.deepEqual(seqs(first.spool), [1]);
});

for (const [what, errcode] of [
  ['full', 13],
  ['failing (EIO)', 1034],
] as const)
  test(`while the disk is ${what} results are kept and sent from bounded memory, and losses are counted`, t => {
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

/** A spool whose disk fails as long as `state.broken`, also for what reads or writes nothing. */
function openBreakable(clock?: { ms: number }) {
  const state = { broken: false, unreadable: false };
  const fail = (fails = state.broken) => {
    if (fails) throw Object.assign(new Error('no'), { errcode: 1034 });
  };
  class BreakableFile extends SpoolFile {
    override write(...parameters: Parameters<SpoolFile['write']>) {
      fail();
      return super.write(...parameters);
    }
    override writeNothing() {
      fail();
      super.writeNothing();
    }
    override readAfter(...parameters: Parameters<SpoolFile['readAfter']>) {
      fail(state.broken || state.unreadable);
      return super.readAfter(...parameters);
    }
    override lastSeqToFree(...parameters: Parameters<SpoolFile['lastSeqToFree']>) {
      fail();
      return super.lastSeqToFree(...parameters);
    }
  }
  const directory = newFolder();
  mkdirSync(directory);
  const open = () => ({ file: new BreakableFile(join(directory, 'spool.sqlite')), movedTo: null });
  const opened = openSpool(directory, {
    open,
    ...(clock === undefined ? {} : { timers: { ...processTimers, now: () => clock.ms } }),
  });
  return { ...opened, state };
}

test('a failing disk is shown, and counts as working only after a real write', t => {
  using opened = openBreakable();
  const { spool, lines, state } = opened;
  t.false(spool.counts.failing);
  state.broken = true;
  spool.append(makeResult());
  spool.flush();
  t.true(spool.counts.failing);
  spool.acknowledge(1);
  for (let round = 0; round < 5; round++) spool.flush();
  t.true(spool.counts.failing);
  t.is(lines.filter(line => line.includes('written again')).length, 0);
  state.broken = false;
  spool.flush();
  t.false(spool.counts.failing);
  t.is(lines.filter(line => line.includes('written again')).length, 1);
});

/** An outbox that sends what the spool has, and what it sent; each batch is acknowledged when the test says so. */
function openOutbox(spool: Spool, lines: string[]) {
  const sent: { from_seq: number; to_seq: number }[] = [];
  const outbox = new Outbox({
    readAfter: (seq, limit) => spool.readAfter(seq, limit),
    acknowledge: seq => spool.acknowledge(seq),
    send: text => sent.push(JSON.parse(text)) > 0,
    onAckTimeout: () => undefined,
    log: createLog({ name: 'outbox', level: 'info', destination: { write: line => lines.push(line) } }),
  });
  outbox.open();
  const ranges = () => sent.splice(0).map(batch => [batch.from_seq, batch.to_seq]);
  const ack = (seq: number) => outbox.onAck({ type: 'ack', seq, refused: [] });
  return { outbox, ranges, ack, [Symbol.dispose]: () => outbox.close() };
}

const sentAfterwards: [when: string, ackFirst: boolean, ranges: [first: number, last: number][]][] = [
  [
    'before the disk works again',
    true,
    [
      [1, 3],
      [5, 5],
    ],
  ],
  ['after the disk works again', false, [[1, 5]]],
];
for (const [when, ackFirst, ranges] of sentAfterwards)
  test(`rows that cannot be read are sent later; what was sent past them is acknowledged ${when}`, t => {
    using opened = openBreakable();
    const { spool, state, lines } = opened;
    for (let i = 0; i < 3; i++) spool.append(makeResult());
    spool.flush();
    state.broken = true;
    spool.append(makeResult());
    spool.flush();
    using sender = openOutbox(spool, lines);
    t.deepEqual(sender.ranges(), [[4, 4]]);
    if (ackFirst) sender.ack(4);
    state.broken = false;
    spool.flush();
    sender.outbox.pump();
    spool.append(makeResult());
    spool.flush();
    sender.outbox.pump();
    if (!ackFirst) {
      t.deepEqual(sender.ranges(), [], 'nothing is sent past them any more');
      sender.ack(4);
    }
    t.deepEqual(sender.ranges(), ranges);
    for (const [, last] of ranges) sender.ack(last);
    spool.flush();
    t.deepEqual(spool.counts, { count: 0, bytes: 0, dropped: 0, failing: false });
    t.true(sender.outbox.isEmpty);
  });

test('an acknowledgement deletes no row that was not sent, also of rows in flight before and after it', t => {
  using opened = openBreakable();
  const { spool, state, lines } = opened;
  spool.append(makeResult());
  spool.flush();
  using sender = openOutbox(spool, lines);
  state.broken = true;
  spool.append(makeResult());
  spool.flush();
  sender.outbox.pump();
  state.broken = false;
  spool.append(makeResult());
  spool.flush();
  state.broken = true;
  spool.append(makeResult());
  spool.flush();
  sender.outbox.pump();
  t.deepEqual(sender.ranges(), [
    [1, 1],
    [2, 2],
    [4, 4],
  ]);
  for (const seq of [1, 2, 4]) sender.ack(seq);
  state.broken = false;
  spool.flush();
  t.deepEqual(seqs(spool), [3]);
  sender.outbox.pump();
  t.deepEqual(sender.ranges(), [[3, 3]]);
  sender.ack(3);
  spool.flush();
  t.deepEqual(spool.counts, { count: 0, bytes: 0, dropped: 0, failing: false });
});

test('a disk that can be written but not read counts as failing, and results go on from memory', t => {
  using opened = openBreakable();
  const { spool, state, lines } = opened;
  spool.append(makeResult());
  spool.flush();
  state.unreadable = true;
  using sender = openOutbox(spool, lines);
  spool.append(makeResult());
  spool.flush();
  t.true(spool.counts.failing);
  sender.outbox.pump();
  t.deepEqual(sender.ranges(), [[2, 2]]);
  t.is(lines.filter(line => line.includes('written again')).length, 0);
  state.unreadable = false;
});

test('the warning is repeated every ten minutes while the disk fails', t => {
  const clock = { ms: 0 };
  using opened = openBreakable(clock);
  opened.state.broken = true;
  opened.spool.append(makeResult());
  for (let minute = 0; minute <= 30; minute++) {
    clock.ms = minute * 60_000;
    opened.spool.flush();
  }
  t.is(opened.lines.filter(line => line.includes('cannot be written')).length, 4);
  opened.state.broken = false;
});

test('what is only in memory when the spool closes is lost with a line', t => {
  const opened = openBreakable();
  opened.state.broken = true;
  opened.spool.append(makeResult());
  opened.spool.close();
  t.regex(opened.lines.at(-1) ?? '', /results in memory are lost/);
});

test('a folder that cannot be written ends the start with a sentence', t => {
  const directory = newFolder();
  writeFileSync(directory, 'a file where the folder should be');
  t.throws(() => openSpool(directory), { instanceOf: ConfigError, message: /^the spool in .* cannot be written: / });
});

test('only the agent’s user can read the spool, also one that an older version made', t => {
  const directory = newFolder();
  const modes = () =>
    ['', 'spool.sqlite', 'spool.sqlite-wal'].map(name => statSync(join(directory, name)).mode & 0o777);
  {
    using opened = openSpool(directory);
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.deepEqual(modes(), [0o700, 0o600, 0o600]);
  }
  chmodSync(join(directory, 'spool.sqlite'), 0o644);
  using again = openSpool(directory);
  again.spool.append(makeResult());
  again.spool.flush();
  t.deepEqual(modes(), [0o700, 0o600, 0o600]);
});

test('results written by a killed process are there, and numbering continues', async t => {
  const directory = newFolder();
  let last = 0;
  for (let round = 0; round < 5; round++) {
    const written = await killedWriter(directory, 1 + round * 10);
    using opened = openSpool(directory, { now: Date.now, ageMaxMs: 1e12 });
    const rows = seqs(opened.spool);
    t.true(written > last && rows.includes(written));
    t.deepEqual(
      rows,
      rows.map((_, index) => index + 1),
    );
    last = rows.at(-1) ?? 0;
  }
});

test('a spool whose write-ahead log is truncated anywhere opens with the first results written', async t => {
  const directory = newFolder();
  await killedWriter(directory, 30);
  const wal = join(directory, 'spool.sqlite-wal');
  const size = statSync(wal).size;
  t.true(size > 0);
  for (let round = 0; round < 40; round++) {
    const copy = newFolder();
    cpSync(directory, copy, { recursive: true });
    truncateSync(join(copy, 'spool.sqlite-wal'), Math.floor(Math.random() * size));
    using opened = openSpool(copy, { now: Date.now, ageMaxMs: 1e12 });
    const rows = seqs(opened.spool);
    t.deepEqual(
      rows,
      rows.map((_, index) => index + 1),
    );
    opened.spool.append(makeResult());
    opened.spool.flush();
    t.is(opened.spool.counts.count, rows.length + 1);
  }
  t.true(readFileSync(wal).length === size);
});

/** Runs a writer and kills it in the turn after `turns`; returns the last number it reported as on disk. */
async function killedWriter(directory: string, turns: number): Promise<number> {
  const file = join(import.meta.dirname, '..', '..', 'support', 'spool-writer.ts');
  const child = spawn(process.execPath, [file, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', chunk => {
    text += chunk;
    if (text.split('\n').length > turns) child.kill('SIGKILL');
  });
  await new Promise(resolve => child.once('close', resolve));
  return Number(text.split('\n').slice(0, -1).at(-1));
}
