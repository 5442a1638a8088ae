import test from 'ava';
import {
  alignPosition,
  isBehind,
  isStored,
  markCaughtUp,
  movePosition,
  type Position,
  Superseded,
  streamsWaitMs,
  takePosition,
} from '#control-plane/operations/intake/nats/position-store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const stream = 'test-results-0';
const standing = { createdAt: 'first', lastSeq: 100 };

test.serial('whoever takes a stream over fences the one before, and a message is stored once', t =>
  withSql(database(), async sql => {
    const first = await take(sql);
    await movePosition(sql, stream, first, 10);
    const superseded = { instanceOf: Superseded };
    await t.throwsAsync(movePosition(sql, stream, first, 10), superseded, 'the same message again');
    await t.throwsAsync(movePosition(sql, stream, first, 11), superseded, 'with it, later ones');
    const second = await take(sql);
    t.is(second.seq, 10);
    await t.throwsAsync(movePosition(sql, stream, { ...first, seq: 10 }, 11), superseded, 'by the one before');
    await movePosition(sql, stream, second, 11);
  }),
);

test.serial('a database that lost the last positions gets the messages after them again', t =>
  withSql(database(), async sql => {
    const { fence, seq } = await take(sql);
    await movePosition(sql, stream, { fence, seq }, 50);
    t.true(await isStored(sql, stream, { fence, seq: 50 }));
    // As on a standby that had not received the last transaction.
    await sql.run`update intake_positions set seq = 40`;
    t.false(await isStored(sql, stream, { fence, seq: 50 }), 'the stream keeps its messages');
    await t.throwsAsync(movePosition(sql, stream, { fence, seq: 50 }, 51), { instanceOf: Superseded });
    t.is((await take(sql)).seq, 40);
  }),
);

test.serial('a stream that was made anew, or lost its end, is read from where it is now', t =>
  withSql(database(), async sql => {
    t.is((await take(sql, { ...standing, lastSeq: 5 })).seq, 5);
    t.is((await takePosition(sql, stream)).seq, 5);
    t.is((await take(sql, { createdAt: 'again', lastSeq: 100 })).seq, 0);
    t.is((await takePosition(sql, stream)).createdAt, 'again');
  }),
);

test.serial('whoever stood still after taking a stream does not move back what another process stored meanwhile', t =>
  withSql(database(), async sql => {
    await movePosition(sql, stream, await take(sql), 10);
    const stale = await take(sql);
    const current = await take(sql);
    await movePosition(sql, stream, current, 70);
    const superseded = { instanceOf: Superseded };
    await t.throwsAsync(alignPosition(sql, stream, stale, { ...standing, lastSeq: 0 }), superseded);
    await t.throwsAsync(alignPosition(sql, stream, stale, { ...standing, createdAt: 'again' }), superseded);
    t.is((await takePosition(sql, stream)).seq, 70);
    await sql.run`delete from intake_positions`;
  }),
);

test.serial('a stream of results is behind while it is being stored and was not caught up lately', t =>
  withSql(database(), async sql => {
    const { fence, seq } = await take(sql, { createdAt: 'again', lastSeq: 100 });
    await markCaughtUp(sql, stream, fence, Date.now());
    t.false(await isBehind(sql));
    await age(sql, 'caught_up_at', 100);
    await movePosition(sql, stream, { fence, seq }, 1);
    t.true(await isBehind(sql), 'it moves');
    await age(sql, 'moved_at', 40);
    t.false(await isBehind(sql), 'nobody stores it: votes have to expire');
    t.true((await streamsWaitMs(sql, 'results')) > 100_000, 'but a signal may wait in it');
    await movePosition(sql, stream, { fence, seq: 1 }, 2);
    await markCaughtUp(sql, stream, fence - 1, Date.now());
    t.true(await isBehind(sql), 'who was fenced off says nothing of it');
    await markCaughtUp(sql, stream, fence, Date.now());
    t.false(await isBehind(sql));
    t.true((await streamsWaitMs(sql, 'results')) < 100_000);
  }),
);

test.serial(
  'events may have waited since the mark of the stream that was caught up with first; without any, always',
  t =>
    withSql(database(), async sql => {
      await sql.run`delete from intake_positions`;
      t.is(await streamsWaitMs(sql, 'events'), Number.POSITIVE_INFINITY);
      await take(sql);
      t.is(await streamsWaitMs(sql, 'events'), Number.POSITIVE_INFINITY, 'a stream of results says nothing of events');
      for (const name of ['test-events-0', 'test-events-1']) {
        const { fence } = await takePosition(sql, name);
        await markCaughtUp(sql, name, fence, Date.now());
      }
      const short = await streamsWaitMs(sql, 'events');
      t.true(short >= 8000 && short < 60_000, String(short));
      await sql.run`
      update intake_positions
      set caught_up_at = clock_timestamp() - interval '10 minutes'
      where stream = 'test-events-1'`;
      t.true((await streamsWaitMs(sql, 'events')) >= 608_000);
    }),
);

async function take(sql: Sql, found = standing): Promise<Position> {
  return alignPosition(sql, stream, await takePosition(sql, stream), found);
}

async function age(sql: Sql, column: 'caught_up_at' | 'moved_at', seconds: number): Promise<void> {
  if (column === 'moved_at')
    await sql.run`update intake_positions set moved_at = clock_timestamp() - ${seconds} * interval '1 s'`;
  else await sql.run`update intake_positions set caught_up_at = clock_timestamp() - ${seconds} * interval '1 s'`;
}
