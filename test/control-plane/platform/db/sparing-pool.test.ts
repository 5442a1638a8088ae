import test, { type ExecutionContext } from 'ava';
import { SparingPool } from '#control-plane/platform/db/sparing-pool.ts';
import { minuteMs } from '#shared/duration.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);

/** Ends with the test. The database may be dropped before the server has heard of it, which ends its sessions. */
function openPool(t: ExecutionContext, max = 10, patienceMs?: number): SparingPool {
  const config = { connectionString: databaseOf(), max, connectionTimeoutMillis: 60_000 };
  const pool = new SparingPool(config, patienceMs).on('error', () => {}) as SparingPool;
  t.teardown(() => pool.ended || pool.end());
  return pool;
}

test('many short statements at once share few connections, and each is answered', async t => {
  const pool = openPool(t, 200);
  const numbers = Array.from({ length: 200 }, (_, index) => index);
  await pool.query('select 1');
  const answers = await Promise.all(numbers.map(number => pool.query('select $1::int as number', [number])));
  t.deepEqual(
    answers.map(({ rows }) => rows[0].number),
    numbers,
  );
  t.true(pool.totalCount < 150, `${pool.totalCount} connections`);
});

test('what takes long holds back nothing: connections are opened one by one, up to the most', async t => {
  const pool = openPool(t, 4);
  const held = await Promise.all([pool.connect(), pool.connect(), pool.connect()]);
  t.is(pool.totalCount, 3);
  t.is((await pool.query('select 1 as one')).rows[0].one, 1);
  t.is(pool.totalCount, 4);
  const last = await pool.connect();
  const queued = pool.query('select 2 as two');
  await until(() => pool.waitingCount, 1);
  t.is(pool.totalCount, 4);
  held[0]?.release();
  t.is((await queued).rows[0].two, 2);
  for (const client of [...held.slice(1), last]) client.release();
});

test('a load that lasts has all connections, however short its statements', async t => {
  const pool = openPool(t, 4);
  let isOver = false;
  const work = async () => {
    while (!isOver) await pool.query('select pg_sleep(0.002)');
  };
  const workers = Array.from({ length: 4 }, work);
  await until(() => pool.totalCount, 4);
  isOver = true;
  await Promise.all(workers);
  t.pass();
});

test('a connection that comes free goes to who waited longest', async t => {
  const pool = openPool(t, 3, minuteMs);
  const first = await pool.connect();
  const order: number[] = [];
  const waiting = [1, 2, 3].map(async number => {
    const client = await pool.connect();
    order.push(number);
    client.release();
  });
  first.release();
  await Promise.all(waiting);
  t.deepEqual(order, [1, 2, 3]);
  t.is(pool.totalCount, 1);
});

test('who waits while the pool ends is refused, and so is everybody if the database is not there', async t => {
  const pool = openPool(t);
  const client = await pool.connect();
  const waiting = pool.query('select 1');
  const ended = pool.end();
  await t.throwsAsync(waiting, { message: /after calling end/ });
  client.release();
  await ended;
  const away = new SparingPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none', max: 5 });
  const asked = Array.from({ length: 20 }, () => away.query('select 1'));
  const errors = await Promise.all(asked.map(one => one.catch((error: { code: string }) => error.code)));
  t.deepEqual(new Set(errors), new Set(['ECONNREFUSED']));
  await away.end();
});
