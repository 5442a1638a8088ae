import test from 'ava';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test('names and trends show what was sent within a minute', async t => {
  const { api, send, replica, token } = await openEventWorld(t, databaseOf());
  const empty = await api('GET', '/v0/event-names');
  t.deepEqual(empty.body, { data: [], pagination: { has_more: false, next_cursor: null } });
  const at = new Date(Date.now() - 3_600_000).toISOString();
  await send([
    { name: 'Paid', external_user_id: 'a', timestamp: at },
    { name: 'Paid', external_user_id: 'b' },
    { name: 'Viewed', external_user_id: 'a' },
    { name: 'Paid', type: 'error', session_id: 's' },
  ]);
  const names = await until(
    async () => (await api('GET', '/v0/event-names')).body,
    body => body.data.length === 3,
  );
  const found = names.data.map((each: Record<string, unknown>) => [each.name, each.type, each.count, each.users]);
  t.deepEqual(found[0], ['Paid', 'track', 2, 2]);
  t.is(names.data[0].first_seen_at, at);
  const first = await api('GET', '/v0/event-names?limit=2');
  const second = await api('GET', `/v0/event-names?limit=2&cursor=${first.body.pagination.next_cursor}`);
  t.is(first.body.data.length, 2);
  t.is(second.body.data.length, 1);
  t.deepEqual([...first.body.data, ...second.body.data], names.data);
  const some = await api('GET', '/v0/event-names?type=track&q=pAI');
  t.deepEqual(
    some.body.data.map((each: Record<string, unknown>) => each.name),
    ['Paid'],
  );

  const trends = await api(
    'GET',
    `/v0/trends?event=${encodeURIComponent('["Paid","Viewed","none"]')}&granularity=hour`,
  );
  t.is(trends.status, 200);
  t.deepEqual(
    trends.body.series.map((each: Record<string, unknown>) => [each.event, each.total, each.complete_from]),
    [
      ['Paid', { events: 2, users: 2 }, null],
      ['Viewed', { events: 1, users: 1 }, null],
      ['none', { events: 0, users: 0 }, null],
    ],
  );
  t.true([48, 49].includes(trends.body.series[0].data.length));
  t.is(trends.body.source, 'hourly');

  const headers = { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' };
  const answer = await fetch(`${replica.url}/v0/trends?event=Paid&breakdown=plan`, { headers });
  t.is(answer.headers.get('content-type'), 'application/x-ndjson');
  const lines = (await answer.text()).trim().split('\n');
  const steps = lines.map(line => JSON.parse(line));
  t.like(steps[0], { counted: 0, parts: lines.length - 1 });
  t.deepEqual(steps.at(-1).series[0].total, { events: 2, users: 2 });
});

test('retention is answered from the start, and refuses what does not fit by name', async t => {
  const { api, send } = await openEventWorld(t, databaseOf());
  await send([
    { name: 'Paid', external_user_id: 'a' },
    { name: 'Paid', session_id: 's' },
  ]);
  const { status, body } = await api('GET', '/v0/retention?start=Paid&granularity=day&periods=1');
  t.is(status, 200);
  const last = body.cohorts.at(-1);
  t.deepEqual([last.users, last.returned, last.complete, body.source], [2, [2, null], false, 'raw']);
  const refused = async (query: string) => faultsOf(await api('GET', `/v0/retention?${query}`));
  t.deepEqual(await refused('return=a'), ['start required']);
  t.deepEqual(await refused('start=(other)'), ['start format']);
  t.deepEqual(await refused('start=a&periods=31&cohort=last'), ['cohort enum', 'periods out_of_range']);
  t.deepEqual(await refused('start=a&from=2026-01-01T00:00:00Z&to=2026-09-01T00:00:00Z'), ['from out_of_range']);
  for (const query of ['to=9999-12-31T23:59:59.999Z', 'from=1970-01-01T00:00:00Z&to=1970-01-01T00:00:00Z'])
    t.is((await api('GET', `/v0/retention?start=a&timezone=Asia/Kolkata&${query}`)).status, 200, query);
  for (const path of ['trends?event=a&', 'trends?event=a&from=9999-12-31T23:30:00Z&', 'event-names?'])
    t.is((await api('GET', `/v0/${path}to=9999-12-31T23:59:59.999Z`)).status, 200, path);
});

test('parameters that do not fit are refused by name', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const refused = async (query: string) => faultsOf(await api('GET', `/v0/trends?${query}`));
  t.deepEqual(await refused(''), ['event required']);
  t.deepEqual(await refused('event=["a","a"]'), ['event format']);
  t.deepEqual(await refused('event=["a","b"]&breakdown=plan'), ['breakdown not_allowed']);
  t.deepEqual(await refused('event=a&timezone=Mars'), ['timezone format']);
  t.deepEqual(await refused('event=a&granularity=month'), ['granularity enum']);
  t.deepEqual(await refused('event=a&granularity=hour&from=2026-01-01T00:00:00Z'), ['from out_of_range']);
  t.is((await api('GET', '/v0/trends?event=[odd')).status, 200, 'a name that begins with a bracket');
});
