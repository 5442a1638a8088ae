import { mock } from 'node:test';
import test from 'ava';
import fc from 'fast-check';
import { Outbox } from '#agent/spool/outbox.ts';
import type { SpoolRow } from '#agent/spool/spool-file.ts';
import { createLog } from '#shared/log.ts';
import { type AgentMessage, agentMessageSchema, messageBytesMax, resultsMax } from '#shared/protocol/messages.ts';

type Batch = Extract<AgentMessage, { type: 'results' }>;

const row = (seq: number, bytes = 20): SpoolRow => ({
  seq,
  createdMs: 0,
  text: `{"pad":"${'x'.repeat(Math.max(0, bytes - 10))}"}`,
});
const rows = (count: number, bytes?: number) => Array.from({ length: count }, (_, index) => row(index + 1, bytes));
const ack = (seq: number, refused: { seq: number; reason: string }[] = []) => ({ type: 'ack' as const, seq, refused });

/** An outbox on rows in memory; `sent` is what went over the socket. */
function makeOutbox(stored: SpoolRow[]) {
  const state = { connected: true, silences: 0 };
  const sent: Batch[] = [];
  const texts: string[] = [];
  const lines: string[] = [];
  const outbox = new Outbox({
    readAfter: (seq, limit) => stored.filter(({ seq: number }) => number > seq).slice(0, limit),
    acknowledge: seq => void stored.splice(0, stored.filter(({ seq: number }) => number <= seq).length),
    send: text => {
      if (!state.connected) return false;
      const message = agentMessageSchema.parse(JSON.parse(text));
      if (message.type === 'results') sent.push(message);
      texts.push(text);
      return true;
    },
    onAckTimeout: () => state.silences++,
    log: createLog({ name: 'outbox', level: 'info', destination: { write: line => lines.push(line) } }),
  });
  return { outbox, sent, texts, stored, state, lines, [Symbol.dispose]: () => outbox.close() };
}

const ranges = (sent: readonly Batch[]) => sent.map(batch => [batch.from_seq, batch.to_seq, batch.results.length]);

test.serial('nothing is sent before the connection is open and after it is closed', t => {
  using made = makeOutbox(rows(3));
  made.outbox.pump();
  t.is(made.sent.length, 0);
  made.outbox.open();
  t.is(made.sent.length, 1);
  made.outbox.close();
  made.stored.push(row(4));
  made.outbox.pump();
  t.is(made.sent.length, 1);
});

test.serial('a batch names its first and last number and has each result with its own', t => {
  using made = makeOutbox([row(5), row(6), row(9)]);
  made.outbox.open();
  t.deepEqual(ranges(made.sent), [[5, 9, 3]]);
  const numbers = made.sent[0]?.results.map(result => Object(result).seq);
  t.deepEqual(numbers, [5, 6, 9]);
});

test.serial('at most four batches of 500 are sent ahead of their acknowledgement', t => {
  using made = makeOutbox(rows(resultsMax * 6));
  made.outbox.open();
  t.deepEqual(ranges(made.sent), [
    [1, 500, 500],
    [501, 1000, 500],
    [1001, 1500, 500],
    [1501, 2000, 500],
  ]);
  made.outbox.onAck(ack(500));
  t.deepEqual(ranges(made.sent).slice(4), [[2001, 2500, 500]]);
});

test.serial('one acknowledgement may cover several batches', t => {
  using made = makeOutbox(rows(resultsMax * 6));
  made.outbox.open();
  made.outbox.onAck(ack(1500));
  t.is(made.sent.length, 6);
  t.false(made.outbox.isEmpty);
  made.outbox.onAck(ack(3000));
  t.true(made.outbox.isEmpty);
  t.is(made.stored.length, 0);
});

test.serial('after a reconnect everything unacknowledged is sent again, from the oldest', t => {
  using made = makeOutbox(rows(resultsMax * 2));
  made.outbox.open();
  made.outbox.onAck(ack(500));
  made.outbox.close();
  made.stored.push(row(1001));
  made.sent.length = 0;
  made.outbox.open();
  t.deepEqual(ranges(made.sent), [
    [501, 1000, 500],
    [1001, 1001, 1],
  ]);
});

test.serial('new rows are sent without waiting for an acknowledgement', t => {
  using made = makeOutbox(rows(1));
  made.outbox.open();
  made.stored.push(row(2));
  made.outbox.pump();
  t.deepEqual(ranges(made.sent), [
    [1, 1, 1],
    [2, 2, 1],
  ]);
});

test.serial('what the socket does not accept is sent later', t => {
  using made = makeOutbox(rows(2));
  made.state.connected = false;
  made.outbox.open();
  t.false(made.outbox.isEmpty);
  made.state.connected = true;
  made.outbox.pump();
  t.deepEqual(ranges(made.sent), [[1, 2, 2]]);
});

test.serial('a message stays below its maximum size, whatever the sizes of the results', t => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 20, max: 300_000 }), { minLength: 1, maxLength: 30 }), sizes => {
      using made = makeOutbox(sizes.map((bytes, index) => row(index + 1, bytes)));
      made.outbox.open();
      for (let batch = 0; batch < sizes.length && !made.outbox.isEmpty; batch++)
        made.outbox.onAck(ack(made.sent.at(-1)?.to_seq ?? 0));
      t.true(made.outbox.isEmpty);
      t.true(made.texts.every(text => Buffer.byteLength(text) <= messageBytesMax));
      const numbers = made.sent.flatMap(batch => batch.results.map(result => Object(result).seq));
      t.deepEqual(
        numbers,
        sizes.map((_, index) => index + 1),
      );
    }),
    { numRuns: 50 },
  );
});

const full: [what: string, text: string][] = [
  ['whose text is multi-byte', `{"pad":"${'ü'.repeat(1500)}"}`],
  ['whose numbers tip the balance', `{"pad":"${'x'.repeat(2080)}"}`],
];
for (const [what, text] of full)
  test.serial(`500 results ${what} are sent in more than one message`, t => {
    using made = makeOutbox(Array.from({ length: 500 }, (_, index) => ({ seq: index + 1e9, createdMs: 0, text })));
    made.outbox.open();
    t.true(made.sent.length > 1);
    t.true(made.texts.every(sent => Buffer.byteLength(sent) <= messageBytesMax));
    t.is(made.sent.at(-1)?.to_seq, 1e9 + 499);
  });

test.serial('a result that alone is too large is sent by itself, so that it blocks no other', t => {
  using made = makeOutbox([row(1), row(2, messageBytesMax + 10), row(3)]);
  made.outbox.open();
  t.deepEqual(ranges(made.sent), [
    [1, 1, 1],
    [2, 2, 1],
    [3, 3, 1],
  ]);
});

test.serial('each refused result is logged with its number, its reason and how many there were', t => {
  using made = makeOutbox(rows(3));
  made.outbox.open();
  made.outbox.onAck(
    ack(3, [
      { seq: 1, reason: 'unknown_monitor' },
      { seq: 3, reason: 'too_old' },
    ]),
  );
  const logged = made.lines.map(line => JSON.parse(line));
  t.like(logged[0], { seq: 1, reason: 'unknown_monitor', refused: 1 });
  t.like(logged[1], { seq: 3, reason: 'too_old', refused: 2 });
  t.true(made.outbox.isEmpty);
});

test.serial('a batch that is not acknowledged for 15 s is a timeout, and every acknowledgement restarts it', t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  using made = makeOutbox(rows(resultsMax * 2));
  made.outbox.open();
  mock.timers.tick(14_999);
  t.is(made.state.silences, 0);
  made.outbox.onAck(ack(500));
  mock.timers.tick(14_999);
  t.is(made.state.silences, 0);
  mock.timers.tick(1);
  t.is(made.state.silences, 1);
});

test.serial('there is no timeout while nothing is in flight or the connection is closed', t => {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  using idle = makeOutbox(rows(1));
  idle.outbox.open();
  idle.outbox.onAck(ack(1));
  using closed = makeOutbox(rows(1));
  closed.outbox.open();
  closed.outbox.close();
  mock.timers.tick(600_000);
  t.deepEqual([idle.state.silences, closed.state.silences], [0, 0]);
});
