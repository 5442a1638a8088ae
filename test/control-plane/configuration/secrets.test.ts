import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;

test('secrets are created, rotated with the monitors that name them, exported by name, and deleted last', async t => {
  const { api, apiWith, regions, url, token } = await openMonitorWorld(t, databaseOf());
  const plan = (document: string, options: Fields) => api('POST', '/v0/config/plan', { document, ...options });
  const both = async (document: string, options: Fields) => {
    const planned = await plan(document, options);
    t.is(planned.status, 200, JSON.stringify(planned.body));
    const { id, counts } = planned.body;
    const applied = await api('POST', '/v0/config/apply', { plan_id: id, expected_deletes: counts.delete });
    t.is(applied.status, 200, JSON.stringify(applied.body));
    return applied.body;
  };
  const head = 'upquorum: 1\nmanager: git-ops\n';
  const text = `${head}
secrets:
  - { key: API_TOKEN, value: { $env: TOKEN }, hosts: [example.com] }
monitors:
  - key: api
    name: API
    url: "https://example.com/"
    interval_seconds: 60
    regions: [${regions.join(', ')}]
    headers: { Authorization: "Bearer {{secret.API_TOKEN}}" }
`;
  const env = { TOKEN: 'first-very-secret' };
  t.like(await both(text, { env }), { counts: { create: 2 }, warnings: [] });
  t.like((await plan(text, { env })).body, { counts: { unchanged: 2 }, actions: [] });
  const [before] = (await api('GET', '/v0/monitors')).body.data;
  const rotated = await both(text, { env: { TOKEN: 'second-very-secret' } });
  t.like(rotated, { counts: { update: 1, unchanged: 1 } });
  t.is(rotated.actions.length, 1);
  t.like(rotated.actions[0], { type: 'secrets', key: 'API_TOKEN' });
  t.deepEqual(rotated.actions[0].changes[0], { pointer: '/value', before: '********', after: '********' });
  t.false(JSON.stringify(rotated).includes('very-secret'));
  const [after] = (await api('GET', '/v0/monitors')).body.data;
  t.is(after.config_version, before.config_version + 1);
  t.like((await plan(text, { env: { TOKEN: 'second-very-secret' } })).body, { counts: { unchanged: 2 }, actions: [] });

  const [secret] = (await api('GET', '/v0/secrets')).body.data;
  t.like(secret, { key: 'API_TOKEN', managed_by: 'git-ops', version: 2 });
  const exported = await fetch(`${url}/v0/config/export?manager=git-ops`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const document = await exported.text();
  t.regex(document, /key: API_TOKEN\s+value:\s+\$env: SECRETS_API_TOKEN_VALUE/);
  const values = { SECRETS_API_TOKEN_VALUE: 'second-very-secret' };
  t.like(
    (await plan(document, { env: { ...values, MONITORS_API_HEADERS_AUTHORIZATION: 'Bearer {{secret.API_TOKEN}}' } }))
      .body,
    {
      counts: { unchanged: 2 },
    },
  );

  const literal = (await plan(text.replace('{ $env: TOKEN }', 'in-clear-text'), {})).body;
  t.like(literal.errors[0], { pointer: '/secrets/0/value', code: 'not_allowed', line: 5 });
  const misnamed = (await plan(text.replace('key: API_TOKEN', 'key: api-token'), { env })).body;
  t.like(misnamed.errors[0], { pointer: '/secrets/0/key', code: 'format' });
  const reader = await apiWith(['secrets:read', 'monitors:read']);
  const guess = async (value: string) => {
    const { body } = await reader('POST', '/v0/config/plan', { document: text, env: { TOKEN: value } });
    return [body.counts, body.actions, body.reasons];
  };
  t.deepEqual(await guess('second-very-secret'), await guess('third-very-secret'));

  const inUse = (await plan(`${head}monitors:\n${text.split('monitors:\n')[1]}`, { prune: true })).body;
  t.like(inUse, { errors: undefined, applicable: false }, JSON.stringify(inUse));
  await both(`${head}monitors: []\n`, { prune: true });
  t.deepEqual((await api('GET', '/v0/secrets')).body.data, []);
});
