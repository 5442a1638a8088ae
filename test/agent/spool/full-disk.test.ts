import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { Outbox } from '#agent/spool/outbox.ts';
import { Spool, type SpoolOptions } from '#agent/spool/spool.ts';
import { openSpoolFile } from '#agent/spool/spool-file.ts';
import { createLog } from '#shared/log.ts';
import { mountSmallDisk } from '../../chaos/harness/small-disk.ts';
import { startTestAgent } from '../../support/agent.ts';
import { makeAssignment, startGateway } from '../../support/gateway.ts';
import { makeResult } from '../../support/results.ts';
import { startTarget } from '../../support/target.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-full-disk-'));
test.after.always(() => rmSync(folder, { recursive: true }));

function openSpool(directory: string, open: SpoolOptions['open']) {
  const lines: string[] = [];
  const log = createLog({ name: 'spool', level: 'info', destination: { write: line => lines.push(line) } });
  const options = { bytesMax: 10_000_000, ageMaxMs: 3_600_000, now: () => 5_000_000, onRows: () => undefined };
  const spool = new Spool({ directory, log, ...options, ...(open === undefined ? {} : { open }) });
  return { spool, lines, [Symbol.dispose]: () => spool.close() };
}

const instantsOf = (spool: Spool) => spool.readAfter(0, 10_000).map(({ text }) => JSON.parse(text).scheduled_at);

/** A disk without room as SQLite and Node tell of it: no file can be made, or one that is there not be written. */
for (const what of ['made', 'written'] as const)
  test(`an agent starts although its spool cannot be ${what}, sends from memory and counts losses`, t => {
    const directory = join(folder, what);
    let isFull = true;
    const open: typeof openSpoolFile = path => {
      if (isFull && what === 'made') throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const opened = openSpoolFile(path);
      const { file } = opened;
      const failIfFull = () => {
        if (isFull) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      };
      const [write, writeNothing] = [file.write.bind(file), file.writeNothing.bind(file)];
      file.write = (...parameters) => {
        failIfFull();
        return write(...parameters);
      };
      file.writeNothing = () => {
        failIfFull();
        writeNothing();
      };
      return opened;
    };
    using opened = openSpool(directory, open);
    const { spool, lines } = opened;
    t.true(spool.counts.failing);
    t.is(lines.filter(line => line.includes('cannot be written')).length, 1);
    for (let at = 0; at < 3; at++) spool.append(makeResult({ scheduled_at: at }));
    spool.flush();
    t.deepEqual(instantsOf(spool), [0, 1, 2]);
    spool.acknowledge(spool.readAfter(0, 1)[0]?.seq ?? 0);
    t.deepEqual(instantsOf(spool), [1, 2]);
    for (let at = 3; at < 6000; at++) spool.append(makeResult({ scheduled_at: at }));
    t.is(spool.counts.dropped + spool.counts.count, 5999);
    t.true(spool.counts.dropped > 0);
    isFull = false;
    spool.flush();
    t.false(spool.counts.failing);
    t.is(spool.readAfter(0, 10_000).length, spool.counts.count);
    t.true(lines.some(line => line.includes('can be written again')));
  });

test('results of a spool that could not be opened at the start are sent once it can, and all that came since', t => {
  const directory = join(folder, 'before');
  {
    using before = openSpool(directory, undefined);
    for (let at = 0; at < 50; at++) before.spool.append(makeResult({ scheduled_at: at }));
  }
  let isFailing = true;
  const open: typeof openSpoolFile = path => {
    if (isFailing) throw Object.assign(new Error('disk I/O error'), { errcode: 1034 });
    return openSpoolFile(path);
  };
  using opened = openSpool(directory, open);
  const { spool, lines } = opened;
  const sent: { to_seq: number; results: { scheduled_at: number }[] }[] = [];
  const outbox = new Outbox({
    readAfter: (seq, limit) => spool.readAfter(seq, limit),
    acknowledge: seq => spool.acknowledge(seq),
    send: text => sent.push(JSON.parse(text)) > 0,
    onAckTimeout: () => undefined,
    log: createLog({ name: 'outbox', level: 'info', destination: { write: line => lines.push(line) } }),
  });
  let acknowledged = 0;
  const acknowledge = () => outbox.onAck({ type: 'ack', seq: sent[acknowledged++]?.to_seq ?? 0, refused: [] });
  for (let at = 100; at < 200; at++) spool.append(makeResult({ scheduled_at: at }));
  outbox.open();
  acknowledge();
  for (let at = 200; at < 210; at++) spool.append(makeResult({ scheduled_at: at }));
  outbox.pump();
  isFailing = false;
  spool.flush();
  while (acknowledged < sent.length) acknowledge();
  t.true(outbox.isEmpty);
  outbox.close();
  const expected = [...Array(50).keys(), ...Array.from({ length: 110 }, (_, index) => 100 + index)];
  const instants = new Set(sent.flatMap(({ results }) => results.map(({ scheduled_at }) => scheduled_at)));
  t.deepEqual(
    [...instants].toSorted((left, right) => left - right),
    expected,
  );
  t.is(spool.counts.dropped, 0);
});

test('on a disk without room an agent starts, checks and reports, and writes once there is room', async t => {
  await using disk = await mountSmallDisk(1_048_576);
  if (disk === null) return t.pass('nothing can be mounted here');
  await disk.fill();
  await using target = await startTarget();
  await using gateway = await startGateway();
  const assignment = makeAssignment({ url: target.url, interval_ms: 200, timeout_ms: 150 });
  gateway.assigned.set(assignment.monitor_id, assignment);
  await using agent = await startTestAgent(gateway, { dataDir: join(disk.folder, 'data') });
  await gateway.until(() => gateway.results.length > 3);
  t.true(agent.log.some(line => line.includes('the spool cannot be written')));
  await gateway.until(() => gateway.of('vitals').some(({ spool }) => spool.failing === true));
  await disk.free();
  await agent.logged('the spool can be written again');
  await gateway.until(() => gateway.of('vitals').some(({ spool }) => spool.failing === false));
  const seen = gateway.results.length;
  await gateway.until(() => gateway.results.length > seen + 3);
});
