import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openEventWorld } from '#test/support/events.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test('a report holds questions; an item whose flow is gone stays until it is taken off', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const steps = [{ event: 'a' }, { event: 'b' }];
  const [flow, other] = [
    (await api('POST', '/v0/flows', { name: 'f', steps })).body,
    (await api('POST', '/v0/flows', { name: 'g', steps })).body,
  ];
  const trend = { title: 'Paid', type: 'trend', event: ['paid', 'refunded'] };
  const funnel = { title: 'Buying', type: 'funnel', flow_id: flow.id, last: '7d' };
  const made = await api('POST', '/v0/reports', { name: 'Weekly', items: [trend, funnel] });
  t.is(made.status, 201);
  t.deepEqual(made.body.items[0], {
    ...{ ...trend, event_type: 'track', last: '30d', granularity: 'day', timezone: 'UTC', breakdown: null },
  });
  const path = String(made.headers.location);
  t.deepEqual((await api('GET', path)).body, made.body);
  t.is((await api('POST', '/v0/reports', { name: 'Weekly', items: [trend] })).body.code, 'name_taken');
  await api('DELETE', `/v0/flows/${flow.id}`);
  const kept = await api('PATCH', path, { name: 'Monday', items: [funnel] });
  t.deepEqual([kept.status, kept.body.items[0].flow_id], [200, flow.id]);
  await api('DELETE', `/v0/flows/${other.id}`);
  const gone = { ...funnel, flow_id: other.id };
  t.deepEqual(faultsOf(await api('PATCH', path, { items: [funnel, gone] })), ['/items/1/flow_id unknown_reference']);
  t.deepEqual(faultsOf(await api('POST', '/v0/reports', { name: 'x', items: [funnel] })), [
    '/items/0/flow_id unknown_reference',
  ]);
  t.is((await api('PATCH', path, { name: 'Monday' })).body.updated_at, kept.body.updated_at);
  t.is((await api('DELETE', path)).status, 204);
  t.deepEqual((await api('GET', '/v0/reports')).body.data, []);
});

test('items that could not be asked are refused by their fields', async t => {
  const { api } = await openEventWorld(t, databaseOf());
  const items = [
    { title: 'a', type: 'trend', event: ['a', 'b'], breakdown: 'plan' },
    { title: 'b', type: 'trend', event: 'a', granularity: 'hour', last: '90d' },
    { title: 'c', type: 'retention', start: 'a', granularity: 'day', last: '90d' },
    { title: 'd', type: 'trend', event: ['a', 'a'], timezone: 'Mars' },
    { title: 'e', type: 'pie' },
  ];
  t.deepEqual(faultsOf(await api('POST', '/v0/reports', { name: 'x', items })), [
    '/items/0/breakdown not_allowed',
    '/items/1/last out_of_range',
    '/items/2/last out_of_range',
    '/items/3/event not_allowed',
    '/items/3/timezone format',
    '/items/4/type enum',
  ]);
  const many = Array.from({ length: 13 }, () => ({ title: 'a', type: 'trend', event: 'a' }));
  t.deepEqual(faultsOf(await api('POST', '/v0/reports', { name: '', items: many })), [
    '/items too_long',
    '/name too_short',
  ]);
});
