import test from 'ava';
import { fragment, type Sql } from '#control-plane/platform/db/sql.ts';
import { dueFinder } from '#control-plane/platform/timers/due-store.ts';
import type { DueTimer } from '#control-plane/platform/timers/timers.ts';

const timer = (name: string): DueTimer => ({ name, everyMs: 1, due: () => fragment`true`, run: async () => {} });

test('loops that ask together ask once, and each is told about its own timers', async t => {
  let asked = 0;
  const answers = [
    [true, false, true],
    [false, true],
  ];
  const sql = { row: async () => ({ hold: answers[asked++] }) } as unknown as Sql;
  const find = dueFinder(sql, { now: () => 0 });
  t.deepEqual(await Promise.all([find([timer('a'), timer('b')]), find([timer('c')])]), [[true, false], [true]]);
  t.is(asked, 1);
  t.deepEqual(await find([timer('a'), timer('b')]), [false, true], 'and later again');
  t.is(asked, 2);
});

test('a failure to ask is told to each loop, and the next time it is asked again', async t => {
  let fails = true;
  const row = async () => {
    if (fails) throw new Error('away');
    return { hold: [true] };
  };
  const find = dueFinder({ row } as unknown as Sql, { now: () => 0 });
  const both = await Promise.allSettled([find([timer('a')]), find([timer('b')])]);
  t.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  t.deepEqual(await find([timer('a')]), [true]);
});
