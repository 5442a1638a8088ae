import test from 'ava';
import { waitForDatabase } from '#control-plane/platform/db/wait-for-database.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
const unknownUser = Object.assign(new Error('password authentication failed'), { code: '28P01' });

test('a database that is away is waited for, and the log says why', async t => {
  const reports: unknown[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts === 1) throw refused;
    return 'connected';
  };
  t.is(await waitForDatabase(work, { warn: fault => reports.push(fault) }), 'connected');
  t.deepEqual(reports, [{ code: 'ECONNREFUSED', reason: refused.message }]);
});

test('a database that refuses us is not waited for', async t => {
  const work = () => Promise.reject(unknownUser);
  await t.throwsAsync(waitForDatabase(work, { warn: () => t.fail() }), { is: unknownUser });
});
