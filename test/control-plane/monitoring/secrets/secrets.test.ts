import test from 'ava';
import { startTestAgent } from '#test/support/agent.ts';
import { createRegions, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { connectFakeAgent, type FakeAgent } from '#test/support/fake-agent.ts';
import { type MonitorWorld, openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { readTables } from '#test/support/tables.ts';
import { startTarget } from '#test/support/target.ts';

const databaseOf = useDatabase(test);

async function makeSecret({ api }: MonitorWorld, name: string, changes: object = {}): Promise<string> {
  const made = await api('POST', '/v0/secrets', { name, value: `value of ${name}`, ...changes });
  return made.body.id;
}

function assignmentsOf({ messages }: FakeAgent, id: string) {
  return messages.flatMap(message =>
    message.type === 'assignments' ? message.put.filter(({ monitor_id }) => monitor_id === id) : [],
  );
}

test('a secret is created, listed by name, changed and deleted, and nobody is shown its value', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { api } = world;
  const body = {
    name: 'ZED',
    value: 'swordfish 1',
    description: 'of the shop',
    hosts: ['API.Example.com.', '*.a.example'],
  };
  const made = await api('POST', '/v0/secrets', body);
  t.is(made.status, 201);
  t.like(made.body, { name: 'ZED', key: 'ZED', value: '********', version: 1, used_by_count: 0, managed_by: null });
  t.deepEqual(made.body.hosts, ['api.example.com', '*.a.example']);
  t.deepEqual(made.body.used_by, []);
  t.is((await api('POST', '/v0/secrets', body)).body.code, 'name_taken');
  await makeSecret(world, 'ALPHA');
  const pages = [await api('GET', '/v0/secrets?limit=1')];
  pages.push(await api('GET', `/v0/secrets?limit=1&cursor=${pages[0]?.body.pagination.next_cursor}`));
  const listed = pages.flatMap(page => page.body.data);
  t.deepEqual(
    listed.map(({ name }) => name),
    ['ALPHA', 'ZED'],
  );
  t.true(listed.every(secret => !('used_by' in secret)));
  const path = `/v0/secrets/${made.body.id}`;
  t.is((await api('PATCH', path, { value: '********', description: 'x' })).body.version, 1);
  t.is((await api('PATCH', path, { value: 'swordfish 1' })).body.version, 1, 'the same value again');
  t.is((await api('PATCH', path, { value: 'swordfish 2' })).body.version, 2);
  t.deepEqual(faultsOf(await api('PATCH', path, { name: 'OTHER' })), ['/name read_only']);
  t.is((await api('DELETE', path)).status, 204);
  t.is((await api('GET', path)).status, 404);
  const { data: entries } = (await api('GET', '/v0/audit?resource=secret')).body;
  const actions = entries.map(({ action }: { action: string }) => action);
  t.deepEqual(
    actions.toReversed(),
    ['created', 'created', 'updated', 'rotated', 'deleted'].map(word => `secret.${word}`),
  );
  const tables = await readTables(databaseOf());
  t.false(JSON.stringify([tables, entries, listed, made]).includes('swordfish'));
  t.regex(entries[1].after.value, /^secret:/);
});

for (const [title, changes, faults] of [
  ['of seven characters', { value: '1234567' }, ['/value too_short']],
  ['of too many bytes', { value: 'ü'.repeat(4097) }, ['/value too_long']],
  ['with U+0000', { value: 'abcdefgh\0' }, ['/value format']],
  ['that is hidden', { value: '********' }, ['/value not_allowed']],
  ['by a name in small letters', { name: 'token' }, ['/name format']],
  ['for no host', { hosts: [] }, ['/hosts too_short']],
  ['for a URL', { hosts: ['https://a.example'] }, ['/hosts/0 format']],
  ['for a star within', { hosts: ['a.*.example'] }, ['/hosts/0 format']],
] as const)
  test(`refused: a secret ${title}`, async t => {
    const { api } = await openMonitorWorld(t, databaseOf(), 1);
    t.deepEqual(faultsOf(await api('POST', '/v0/secrets', { name: 'A', value: 'long enough', ...changes })), [
      ...faults,
    ]);
  });

test('references are looked at in every field, by name, form, host and what their values make of it', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  const { post, patch, api, body } = world;
  await makeSecret(world, 'ANY');
  await makeSecret(world, 'OURS', { hosts: ['*.ours.example'] });
  await makeSecret(world, 'LINES', { value: 'one\r\ntwo lines' });
  for (const [changes, faults] of [
    [{ headers: { A: '{{secret.NONE}}' } }, ['/headers/A unknown_reference']],
    [{ headers: { A: '{{secret.ANY|xml}}' } }, ['/headers/A unknown_reference']],
    [{ headers: { A: '{{secret.OURS}}' } }, ['/headers/A not_allowed']],
    [{ headers: { A: 'x {{secret.LINES}}' } }, ['/headers/A format']],
    [{ headers: { A: '{{secret.LINES|url}} {{other}}' } }, []],
    [{ headers: { A: '{{secret.OURS}}' }, url: 'https://API.ours.example./' }, []],
    [{ url: 'https://a.example/{{secret.ANY}}' }, ['/url not_allowed']],
    [
      { assertions: [{ type: 'body_contains', operator: 'contains', value: '{{secret.ANY}}' }] },
      ['/assertions/0/value not_allowed'],
    ],
    [{ auth: { type: 'basic', username: '{{secret.LINES}}', password: '{{secret.ANY}}' } }, ['/auth/username format']],
    [{ auth: { type: 'bearer', token: '{{secret.NONE}}' } }, ['/auth/token unknown_reference']],
    [
      { egress: { client_certificate: { private_key: '{{secret.ANY}}' } } },
      ['/egress/client_certificate/private_key format'],
    ],
    [
      {
        egress: {
          proxy: { url: 'socks5://a.example:1080', username: '{{secret.LINES}}', password: '{{secret.OURS}}' },
        },
      },
      ['/egress/proxy/password not_allowed', '/egress/proxy/username format'],
    ],
    [{ egress: { proxy: { url: 'socks5://p.ours.example:1080', username: 'a', password: '{{secret.OURS}}' } } }, []],
    [{ url: 'tcp://a.example:1', tcp: { send: '{{secret.OURS}}' } }, ['/tcp/send not_allowed']],
  ] as const)
    t.deepEqual(faultsOf(await post({ name: JSON.stringify(changes).slice(0, 150), ...changes })), [...faults]);
  const { id } = (await post({ name: 'patched', url: 'https://a.ours.example/', headers: { A: '{{secret.OURS}}' } }))
    .body;
  t.deepEqual(faultsOf(await patch(id, { url: 'https://evil.example/' })), ['/headers/A not_allowed']);
  const bulk = { ids: [id], action: 'patch', patch: { auth: { type: 'bearer', token: '{{secret.NONE}}' } } };
  t.is((await api('POST', '/v0/monitors/bulk', bulk)).body.items[0].outcome, 'failed');
  const tested = await api('POST', '/v0/monitors/test', {
    ...body,
    name: undefined,
    headers: { A: '{{secret.OURS}}' },
  });
  t.deepEqual(faultsOf(tested), ['/headers/A not_allowed']);
  const poor = await world.apiWith(['monitors:read', 'monitors:write']);
  t.is((await poor('POST', '/v0/monitors', { ...body, headers: { A: '{{secret.ANY}}' } })).status, 403);
  t.is((await poor('PATCH', `/v0/monitors/${id}`, { interval_seconds: 90 })).status, 200, 'names none');
});

test('agents get values in place of names, rotation gives new ones and keeps votes, uses are counted', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 0);
  const codes = ['new', 'old'].map(name => `${name}-${world.projectId.slice(-10)}`);
  const agents = await createRegions(databaseOf(), codes, world.projectId);
  const [fresh = '', old = ''] = codes.map(code => agents[code]?.secret ?? '');
  await using agent = await connectFakeAgent(world.url, fresh, undefined, ['secrets.1']);
  await using before = await connectFakeAgent(world.url, old);
  const value = 'quote " and {{secret.INNER}}';
  const secret = await makeSecret(world, 'TOKEN', { value, hosts: ['a.example'] });
  const settings = { url: 'https://a.example/', method: 'POST', regions: codes };
  const headers = { A: 'key {{secret.TOKEN}}' };
  const header = (await world.post({ ...settings, name: 'header', headers })).body;
  const json = (await world.post({ ...settings, name: 'json', body: '{"a":"{{secret.TOKEN|json}}"}' })).body;
  t.is(header.headers.A, headers.A);
  t.like(
    json.unable_regions,
    [{ region: codes[1], missing: ['secrets.1'] }],
    'the other agent would not black it out in answers',
  );
  await until(() => assignmentsOf(agent, json.id).length, 1);
  t.is(JSON.parse(assignmentsOf(agent, json.id)[0]?.body ?? '').a, value);
  await until(() => assignmentsOf(agent, header.id).length, 1);
  t.like(assignmentsOf(agent, header.id)[0], { headers: { A: `key ${value}` }, secrets: [value] });
  await until(() => assignmentsOf(before, header.id).length, 1);
  const [ofOld] = assignmentsOf(before, header.id);
  t.is(ofOld?.headers.A, `key ${value}`);
  t.false(Object.hasOwn(ofOld ?? {}, 'secrets'), 'what it does not know');

  const path = `/v0/secrets/${secret}`;
  t.like((await world.api('GET', path)).body, {
    used_by_count: 2,
    used_by: [
      { monitor_id: header.id, name: 'header' },
      { monitor_id: json.id, name: 'json' },
    ],
  });
  t.like((await world.api('DELETE', path)).body, { code: 'secret_in_use', count: 2 });
  t.deepEqual(faultsOf(await world.api('PATCH', path, { hosts: ['b.example'] })), ['/hosts not_allowed']);
  const refused = await world.api('PATCH', path, { value: 'two\r\nlines and more' });
  t.deepEqual(faultsOf(refused), ['/value not_allowed']);
  t.true(refused.body.errors[0].detail.includes(header.id));

  t.like((await world.api('PATCH', path, { value: 'its successor' })).body, { version: 2 });
  await until(() => assignmentsOf(agent, header.id).at(-1)?.headers.A, 'key its successor');
  t.is((await world.api('GET', `/v0/monitors/${header.id}`)).body.config_version, 2);
  const { data: entries } = (await world.api('GET', '/v0/audit?action=secret.rotated')).body;
  t.deepEqual(entries[0].also.map(({ name }: { name: string }) => name).toSorted(), ['header', 'json']);

  await world.api('DELETE', `/v0/monitors/${json.id}`);
  t.is((await world.patch(header.id, { headers: {} })).status, 200);
  t.is((await world.api('GET', path)).body.used_by_count, 0);
  t.is((await world.api('DELETE', path)).status, 204);
  const revived = await world.post({ ...settings, name: 'json', body: '{{secret.TOKEN}}' });
  t.deepEqual(faultsOf(revived), ['/body unknown_reference']);
});

test('a reference that was stored before stays text until its field is written again', async t => {
  const world = await openMonitorWorld(t, databaseOf());
  await makeSecret(world, 'TOKEN');
  const { id } = (await world.post({ headers: { A: '{{secret.TOKEN}}' } })).body;
  await withSql(databaseOf(), async sql => {
    await sql.run`
      update monitors
      set secret_fields = '{}', needs = '', regions = able_regions, able_regions = null
      where id = ${id}`;
    await sql.run`delete from secret_uses where monitor_id = ${id}`;
  });
  const needs = () => withSql(databaseOf(), sql => sql.rows`select needs from monitors where id = ${id}`);
  await world.patch(id, { interval_seconds: 120 });
  t.deepEqual(await needs(), [{ needs: '' }]);
  t.is((await world.patch(id, { headers: { A: '{{secret.TOKEN}}' } })).body.config_version, 3);
  t.deepEqual(await needs(), [{ needs: 'gateway.3' }]);
});

test('an answer that repeats a secret in any form shows it in no test', async t => {
  const world = await openMonitorWorld(t, databaseOf(), 0);
  const code = `echo-${world.projectId.slice(-10)}`;
  const agents = await createRegions(databaseOf(), [code], world.projectId);
  await using agent = await startTestAgent({ url: world.url }, { env: { AGENT_SECRET: agents[code]?.secret ?? '' } });
  t.truthy(agent);
  const value = 'sword "fish" & more';
  const forms = [value, JSON.stringify(value), encodeURIComponent(value), Buffer.from(value).toString('base64')];
  await using target = await startTarget((_, response) => response.end(forms.join(' | ')));
  await makeSecret(world, 'ECHOED', { value });
  await until(
    async () =>
      (await world.api('GET', '/v0/regions?limit=200')).body.data.find(
        (region: { code: string }) => region.code === code,
      )?.agents_online,
    1,
  );
  const { body } = await world.api('POST', '/v0/monitors/test', {
    url: target.url,
    method: 'POST',
    interval_seconds: 10,
    regions: [code],
    body: 'token={{secret.ECHOED|url}}',
    assertions: [{ type: 'body_contains', operator: 'contains', value: 'nothing' }],
  });
  t.is(body.data[0].result?.status_code, 200, JSON.stringify(body));
  const shown = JSON.stringify(body);
  t.true(shown.includes('[redacted]'), shown);
  for (const form of forms) t.false(shown.includes(form) || shown.includes(JSON.stringify(form).slice(1, -1)), form);
});
