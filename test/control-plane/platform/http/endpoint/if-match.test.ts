import test from 'ava';
import { readIfMatch, requireUnchanged } from '#control-plane/platform/http/endpoint/if-match.ts';
import { Problem } from '#control-plane/platform/http/problem.ts';
import { useDatabase } from '#test/support/database.ts';
import { faultsOf } from '#test/support/problem.ts';
import { openStatusWorld } from '#test/support/status-world.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const databaseOf = useDatabase(test);
const time = '2026-11-22T07:00:00.123Z';

for (const [header, expected] of [
  [undefined, null],
  ['*', null],
  [time, Date.parse(time)],
  [` "${time}" `, Date.parse(time)],
  ['"2026-11-22T08:00:00.123+01:00"', Date.parse(time)],
] as const)
  test(`If-Match ${header} expects ${expected}`, t => t.is(readIfMatch(header), expected));

for (const header of ['', '""', `"${time}`, `W/"${time}"`, `"${time}", "${time}"`, 'abc'])
  test(`If-Match ${JSON.stringify(header)} is refused`, t => {
    t.is(t.throws(() => readIfMatch(header), { instanceOf: Problem })?.code, 'invalid_parameter');
  });

test('thousands of blanks that are not ASCII cost next to nothing', async t => {
  const header = `a${'\u00a0'.repeat(32_000)}"`;
  const ms = await leastThreadMs(100, () => t.throws(() => readIfMatch(header), { instanceOf: Problem }));
  t.true(ms < 100, `${ms} ms`);
});

test('only another update than the expected one is refused', t => {
  requireUnchanged(null, 1);
  requireUnchanged(1, 1);
  t.is(t.throws(() => requireUnchanged(1, 2), { instanceOf: Problem })?.code, 'changed_since');
});

test.serial('a PATCH with If-Match changes only what nobody changed meanwhile', async t => {
  const { api, page, component, monitor } = await openStatusWorld(t, databaseOf());
  const fields = { title: 'Down', severity: 'p1', status_page_id: page.id };
  const incident = (await api('POST', '/v0/incidents', fields)).body;
  const steps = [{ event: 'a' }, { event: 'b' }];
  const flow = (await api('POST', '/v0/flows', { name: 'f', steps })).body;
  const items = [{ title: 'a', type: 'trend', event: 'a' }];
  const report = (await api('POST', '/v0/reports', { name: 'r', items })).body;
  const resources: [path: string, read: { updated_at: string }, field: string][] = [
    [`/v0/monitors/${monitor.id}`, monitor, 'name'],
    [`/v0/components/${component.id}`, component, 'name'],
    [`/v0/status-pages/${page.id}`, page, 'name'],
    [`/v0/incidents/${incident.id}`, incident, 'title'],
    [`/v0/flows/${flow.id}`, flow, 'name'],
    [`/v0/reports/${report.id}`, report, 'name'],
  ];
  const entries = async () => (await api('GET', '/v0/audit?limit=200')).body.data.length;
  for (const [path, { updated_at }, field] of resources) {
    const { updated_at: now } = (await api('GET', path)).body;
    t.true(now >= updated_at, path);
    const changed = await api('PATCH', path, { [field]: 'one' }, { 'if-match': `"${now}"` });
    t.deepEqual([changed.status, changed.body[field]], [200, 'one'], path);
    const late = await api('PATCH', path, { [field]: 'two' }, { 'if-match': `"2026-01-01T00:00:00.000Z"` });
    t.deepEqual([late.status, late.body.code], [412, 'changed_since'], path);
    const wrong = await api('PATCH', path, { [field]: 'two' }, { 'if-match': 'abc' });
    t.deepEqual([wrong.status, faultsOf(wrong)], [400, ['If-Match format']], path);
    const recorded = await entries();
    const same = await api('PATCH', path, { [field]: 'one' }, { 'if-match': '*' });
    t.deepEqual(same.body, (await api('GET', path)).body, path);
    t.is(same.body.updated_at, changed.body.updated_at, `${path}: nothing changed, nothing moves`);
    t.is(await entries(), recorded, `${path}: and nothing is recorded`);
  }
});

test.serial('requests that change nothing are not recorded in the audit', async t => {
  const { api, monitor, alert } = await openStatusWorld(t, databaseOf());
  const id = await alert();
  const requests = [
    () => api('POST', `/v0/monitors/${monitor.id}/pause`),
    () => api('POST', `/v0/alerts/${id}/acknowledge`),
    () => api('PATCH', '/v0/project', { name: 'Renamed', allowed_origins: ['https://a.example'] }),
  ];
  const entries = async () => (await api('GET', '/v0/audit?limit=200')).body.data.length;
  for (const send of requests) {
    const before = await entries();
    const first = await send();
    t.deepEqual([first.status, await entries()], [200, before + 1]);
    t.deepEqual([(await send()).status, await entries()], [200, before + 1]);
  }
});
