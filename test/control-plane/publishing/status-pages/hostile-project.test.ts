import test from 'ava';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { addIncidents, addMeasuredComponents } from '#test/support/large-page.ts';
import { openNotificationWorld } from '#test/support/notification-world.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { leastTurnMs } from '#test/support/thread-time.ts';

const databaseOf = useDatabase(test);

/** Each was a table of 65,536 cells, and cost 200 ms at every publication. */
const table = `${'a|'.repeat(1200)}\n${'-|'.repeat(1200)}\n${'x\n'.repeat(8000)}`;
const marks = '[a](http://b.c "d") *e* `f` '.repeat(300);

const timed = async (work: () => Promise<unknown>) => {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
};

test('one project’s hostile texts and largest pages delay no other project’s page, alert or health check', async t => {
  await using receiver = await startReceiver();
  const world = await openNotificationWorld(t, databaseOf());
  t.is((await world.api('POST', '/v0/webhooks', { url: receiver.url, kinds: ['alert.opened'] })).status, 201);

  /** The longest times of a few rounds: a change on the page, an alert at its webhook; health checks meanwhile. */
  const measure = async (rounds: number) => {
    const times = { page: 0, alert: 0 };
    for (let round = 0; round < rounds; round++) {
      const name = `Renamed ${performance.now()}`;
      const page = timed(async () => {
        await world.api('PATCH', `/v0/components/${world.component.id}`, { name });
        await until(
          () => world.visit('GET', `/status/${world.page.slug}/summary.json`),
          answer => JSON.stringify(answer.body).includes(name),
        );
      });
      const alert = timed(async () => {
        const before = receiver.ids.length;
        const alertId = await world.alert({ startedAt: Date.now() });
        await world.alertFact('alert.opened', alertId);
        await until(() => receiver.ids.length > before, true);
        await withSql(databaseOf(), sql => sql.run`delete from alerts where id = ${alertId}`);
      });
      for (let visit = 0; visit < 10; visit++) await world.visit('GET', '/healthz');
      times.page = Math.max(times.page, await page);
      times.alert = Math.max(times.alert, await alert);
    }
    return times;
  };
  const calm = await measure(2);

  const { projectId, token } = await createTenant(databaseOf(), ['*'], 'agency');
  const hostile = apiOf(world.replica.url, token);
  const pages: string[] = [];
  for (let index = 0; index < 3; index++) {
    const posted = { name: 'Hostile', slug: `hostile-${projectId.slice(-8)}-${index}`, history_days: 365 };
    pages.push((await hostile('POST', '/v0/status-pages', posted)).body.id);
  }
  await withSql(databaseOf(), async sql => {
    for (const statusPageId of pages) {
      await addMeasuredComponents(sql, { projectId, statusPageId }, 300, Date.now());
      await addIncidents(sql, { projectId, statusPageId }, { incidents: 15, updates: 30, body: marks }, Date.now());
    }
  });
  const posted = { title: 'x', severity: 'p1', status_page_id: pages[0] };
  const incident = (await hostile('POST', '/v0/incidents', posted)).body;

  // Its pages are changed all the time, so that one of them is always due.
  const stop = new AbortController();
  const attack = (async () => {
    for (let round = 0; round < 500 && !stop.signal.aborted; round++)
      await Promise.all([
        hostile('POST', `/v0/incidents/${incident.id}/updates`, { state: 'identified', body: table }),
        ...pages.map(id => hostile('PATCH', `/v0/status-pages/${id}`, { description: `round ${round}` })),
      ]);
  })();

  let times = { page: 0, alert: 0 };
  const turnMs = await leastTurnMs(2000, async () => {
    times = await measure(4);
  });
  stop.abort();
  await attack;
  t.log(calm, times, turnMs);
  // A machine with other work is slow, too. Before, a publication froze everything for 11 s, and facts waited 60 s.
  t.true(turnMs < 2000, `health checks waited for a turn of ${turnMs} ms`);
  t.true(times.page < 50_000 + 5 * calm.page, `page after ${times.page} ms`);
  t.true(times.alert < 40_000 + 5 * calm.alert, `alert after ${times.alert} ms`);
});
