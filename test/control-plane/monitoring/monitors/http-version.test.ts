import test from 'ava';
import { neededOf } from '#control-plane/monitoring/monitors/kinds/rules.ts';
import { type MonitorSettings, monitorPostSchema, withKind } from '#control-plane/monitoring/monitors/monitor.ts';
import { compareSettings, settingsErrors } from '#control-plane/monitoring/monitors/settings.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);
const is2 = { type: 'http_version', operator: 'eq', value: '2' } as const;
const step = (assertions: readonly object[] = []) => ({
  steps: [{ name: 'a', url: 'https://a.example/', assertions }],
});
const bodyOf = (changes: object) => ({
  name: 'm',
  interval_seconds: 60,
  regions: ['a'],
  ...('kind' in changes ? {} : { url: 'https://a.example/' }),
  ...changes,
});
const settingsOf = (changes: object): MonitorSettings => withKind(monitorPostSchema.parse(bodyOf(changes)));

for (const [title, changes, needs] of [
  ['by default', {}, []],
  ['that is null', { http_version: null }, []],
  ['1.1', { http_version: '1.1' }, []],
  ['2', { http_version: '2' }, ['http.2']],
  ['auto', { http_version: 'auto' }, ['http.2']],
  ['that is asserted', { assertions: [is2] }, ['assert.2', 'assert.3']],
  ['of steps', { kind: 'multistep', multistep: step(), http_version: '2' }, ['http.2', 'multistep']],
  ['that a step asserts', { kind: 'multistep', multistep: step([is2]) }, ['assert.3', 'multistep']],
] as const)
  test(`needs of a version ${title}`, t => {
    t.deepEqual(settingsErrors(monitorPostSchema.parse(bodyOf(changes))), []);
    t.deepEqual(neededOf(settingsOf(changes)), [...needs]);
  });

test('other kinds have no version of HTTP, and read none', t => {
  const changes = { url: 'wss://a.example/', http_version: '2', assertions: [is2] };
  t.deepEqual(
    settingsErrors(monitorPostSchema.parse(bodyOf(changes))).map(error =>
      'pointer' in error ? `${error.pointer} ${error.code}` : '',
    ),
    ['/http_version not_allowed', '/assertions/0/type not_allowed'],
  );
  t.is(settingsOf({ url: 'wss://a.example/' }).http_version, null);
  t.is(settingsOf({}).http_version, '1.1');
});

test('another version of HTTP is a new version of the monitor, and no other target', t => {
  const usual = settingsOf({});
  t.like(compareSettings(usual, settingsOf({ http_version: '2' })), { newVersion: true, dropsVotes: false });
  t.like(compareSettings(usual, settingsOf({ http_version: null })), { newVersion: false });
  const { http_version: _, ...before } = usual;
  t.like(compareSettings(before, usual), { newVersion: false });
});

test.serial('the version is stored and shown, and 0.10.0 cannot write the monitor without it', async t => {
  const { post, patch, api } = await openMonitorWorld(t, databaseOf());
  const { body: usual } = await post({});
  t.is(usual.http_version, '1.1');
  const { body: made } = await post({ http_version: 'auto' });
  t.is(made.http_version, 'auto');
  t.deepEqual(faultsOf(await patch(made.id, { http_version: '3' })), ['/http_version enum']);
  t.like((await patch(made.id, { http_version: '2' })).body, { http_version: '2', config_version: 2 });
  t.like((await patch(made.id, { name: 'n' })).body, { http_version: '2', config_version: 2 });
  const refused = withSql(
    databaseOf(),
    sql => sql.run`update monitors set needs = '', able_regions = null where id = ${made.id}`,
  );
  await t.throwsAsync(refused, { message: /monitors_http_version|constraint/ });
  t.like((await patch(made.id, { http_version: null })).body, { http_version: '1.1', config_version: 3 });
  t.is((await api('GET', `/v0/monitors/${made.id}`)).body.http_version, '1.1');
});
