import { setTimeout as wait } from 'node:timers/promises';
import test from 'ava';
import { transaction } from '#control-plane/db/transaction.ts';
import { lockProject } from '#control-plane/flows/work-store.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';

const databaseOf = useDatabase(test);

test('a release that entries belong to waits for the roll-up under way, whose hours it has to see; others do not', async t => {
  const { api, projectId, replica } = await openEventWorld(t, databaseOf());
  let posted = false;
  const post = (environment: string) => api('POST', '/v0/releases', { version: '1', environment });
  const pending = await transaction(replica.pools.background, async sql => {
    while (!(await lockProject(sql, projectId))) await wait(20);
    t.is((await post('staging')).status, 201);
    const answer = post('production').then(({ status }) => {
      posted = true;
      return status;
    });
    await wait(500);
    t.false(posted);
    return { answer };
  });
  t.is(await pending.answer, 201);
});
