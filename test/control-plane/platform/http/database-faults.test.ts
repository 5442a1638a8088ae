import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

test('data that the database refuses is a 500; only an unavailable database is a 503 to try again', async t => {
  const { api, replica } = await openEventWorld(t, databaseOf());
  const pool = replica.pools.api;
  const { connect } = pool;
  const answers: unknown[] = [];
  for (const code of ['22003', '23503', '53300', '40001']) {
    Object.assign(pool, { connect: () => Promise.reject(Object.assign(new Error('refused'), { code })) });
    const { status, body } = await api('GET', '/v0/flows');
    answers.push([status, body.code, body.retry_after]);
  }
  Object.assign(pool, { connect });
  const ours = [500, 'internal_error', undefined];
  t.deepEqual(
    answers,
    [ours, ours, [503, 'unavailable', 5], [503, 'unavailable', 1]],
    'another turn wins a race sooner',
  );
});
