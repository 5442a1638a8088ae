import test from 'ava';
import pino from 'pino';
import { type Batch, everything } from '#control-plane/web/changes/batch.ts';
import { createChangeFeed, overlapMs } from '#control-plane/web/changes/feed.ts';
import type { ChangeRow } from '#control-plane/web/changes/topic.ts';

type Row = ChangeRow & { project_id: string; at: number };
const log = pino({ enabled: false });

/** Committed rows, and a feed that reads them when it is told to. */
function openFeed() {
  const rows: Row[] = [];
  let reads = 0;
  let broken = false;
  let nowMs = 1_000_000;
  const feed = createChangeFeed({
    read: async (projectIds, sinceMs, limit) => {
      reads += 1;
      if (broken) throw new Error('away');
      return rows.filter(row => projectIds.includes(row.project_id) && row.at >= sinceMs).slice(-limit);
    },
    now: () => nowMs,
    log,
    everyMs: 3_600_000,
  });
  const add = (id: string, at = nowMs, projectId = 'a'): void => {
    rows.push({ source: 'fact', id, kind: 'alert.opened', subject: id, parent: null, project_id: projectId, at });
  };
  return {
    feed,
    add,
    reads: () => reads,
    setBroken: (value: boolean) => {
      broken = value;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** The ids of alerts, in the order in which they are told. */
function collect() {
  const told: string[] = [];
  const listener = (_: number, batch: Batch): void => {
    told.push(...(batch.get('alerts') ?? []));
  };
  return { told, listener };
}

test('after a failover listeners read all again, and then what changes', async t => {
  const { feed, add } = openFeed();
  const batches: Batch[] = [];
  const stop = feed.subscribe('a', (_, batch) => batches.push(batch));
  add('1');
  await feed.refresh();
  feed.tellEverything();
  await feed.refresh();
  t.deepEqual(batches[1], everything);
  // With the id of a fact that the standby lacks.
  await feed.refresh();
  t.deepEqual(batches[2]?.get('alerts'), new Set(['1']));
  stop();
  await feed[Symbol.asyncDispose]();
});

test('each change is told once, however late its transaction ends', async t => {
  const { feed, add, pass } = openFeed();
  const { told, listener } = collect();
  const stop = feed.subscribe('a', listener);
  add('1');
  await feed.refresh();
  await feed.refresh();
  pass(5000);
  add('of another project', undefined, 'b');
  // It was written before the first, and is committed now.
  add('2', 1_000_000 - 10_000);
  await feed.refresh();
  await feed.refresh();
  pass(overlapMs + 5000);
  add('3');
  await feed.refresh();
  await feed.refresh();
  t.deepEqual(told, ['1', '2', '3']);
  stop();
  await feed[Symbol.asyncDispose]();
});

test('what changed while the database was away is told afterwards', async t => {
  const { feed, add, setBroken, pass } = openFeed();
  const { told, listener } = collect();
  feed.subscribe('a', listener);
  await feed.refresh();
  await feed.refresh();
  setBroken(true);
  add('1');
  await feed.refresh();
  pass(10 * 60_000);
  setBroken(false);
  await feed.refresh();
  await feed.refresh();
  t.deepEqual(told, ['1']);
  await feed[Symbol.asyncDispose]();
});

test('nothing is read while nobody listens, and what was missed is told on request', async t => {
  const { feed, add, reads, pass } = openFeed();
  const { listener } = collect();
  const stop = feed.subscribe('a', listener);
  await feed.refresh();
  await feed.refresh();
  stop();
  const before = reads();
  await feed.refresh();
  t.is(reads(), before);
  add('1');
  pass(60_000);
  t.deepEqual([...((await feed.since('a', 1_000_000)).get('alerts') ?? [])], ['1']);
  t.is((await feed.since('a', 1_060_000)).size, 0);
  // Too long ago to say: anything may have changed.
  t.is((await feed.since('a', 0)).get('monitors'), null);
  for (let index = 0; index < 600; index++) add(`many ${index}`);
  t.is((await feed.since('a', 1_050_000)).get('alerts'), null);
  await feed[Symbol.asyncDispose]();
});
