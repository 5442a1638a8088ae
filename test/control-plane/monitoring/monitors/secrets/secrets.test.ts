import { randomUUID } from 'node:crypto';
import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);
const hidden = '********';

test.serial('only tokens that may write monitors see header values', async t => {
  const { api, post, patch, apiWith } = await openMonitorWorld(t, databaseOf());
  const headers = { authorization: 'Bearer swordfish', 'x-empty': '' };
  const made = await post({ headers });
  t.deepEqual(made.body.headers, headers);
  const writer = await apiWith(['monitors:write']);
  const reader = await apiWith(['monitors:read', 'alerts:write', 'tokens:write']);
  const path = `/v0/monitors/${made.body.id}`;
  for (const call of [api, writer]) {
    t.deepEqual((await call('GET', path)).body.headers, headers);
    t.deepEqual((await call('GET', '/v0/monitors')).body.data[0].headers, headers);
  }
  const stars = { authorization: hidden, 'x-empty': hidden };
  t.deepEqual((await reader('GET', path)).body.headers, stars);
  t.deepEqual((await reader('GET', '/v0/monitors')).body.data[0].headers, stars);
  t.deepEqual((await patch(made.body.id, { name: 'x' })).body.headers, headers);
});

test.serial(
  'a hidden value sent back keeps the stored one; where none is stored it is refused and nothing changes',
  async t => {
    const { api, post, patch } = await openMonitorWorld(t, databaseOf());
    const made = (await post({ headers: { Authorization: 'first', other: 'second' } })).body;
    const merged = await patch(made.id, { headers: { authorization: hidden, third: 'new' } });
    t.deepEqual(merged.body.headers, { authorization: 'first', third: 'new' });
    const refused = await patch(made.id, {
      name: 'changed',
      headers: { authorization: hidden, other: hidden, 'a~b': hidden },
    });
    t.is(refused.status, 422);
    t.deepEqual(faultsOf(refused), ['/headers/a~0b not_allowed', '/headers/other not_allowed']);
    t.deepEqual((await api('GET', `/v0/monitors/${made.id}`)).body, merged.body);
    const same = await patch(made.id, { headers: { authorization: hidden, third: hidden } });
    t.is(same.body.config_version, merged.body.config_version, 'all values stayed: nothing changed');
  },
);

test.serial('a request body is hidden like a header value, and kept when the hidden value is sent back', async t => {
  const { post, patch, apiWith } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ method: 'POST', body: 'client_secret=swordfish' })).body;
  const reader = await apiWith(['monitors:read']);
  for (const path of ['/v0/monitors', `/v0/monitors/${made.id}`]) {
    const seen = JSON.stringify((await reader('GET', path)).body);
    t.false(seen.includes('swordfish'), path);
    t.true(seen.includes(`"body":"${hidden}"`), path);
  }
  t.is((await patch(made.id, { body: hidden, name: 'same' })).body.body, 'client_secret=swordfish');
  t.is((await patch(made.id, { body: null })).body.body, null);
  t.deepEqual(faultsOf(await patch(made.id, { body: hidden })), ['/body not_allowed']);
  t.deepEqual(faultsOf(await post({ method: 'POST', body: hidden })), ['/body not_allowed']);
});

test.serial('a writer can send back everything a reader sees without losing a secret', async t => {
  const { post, patch, apiWith } = await openMonitorWorld(t, databaseOf());
  const secrets = { method: 'POST', body: 'client_secret=swordfish', headers: { a: 'secret' } };
  const made = (await post({ ...secrets, timeout_ms: 900, quorum: 1 })).body;
  const seen = (await (await apiWith(['monitors:read']))('GET', `/v0/monitors/${made.id}`)).body;
  const { id, project_id, key, managed_by, status, status_since, votes, config_version, ...others } = seen;
  const { maintenance, unable_regions, rules_version, created_at, updated_at, ...settable } = others;
  t.deepEqual((await patch(id, settable)).body, made);
});

test.serial('no table holds a header value or a body in clear, whatever is done to the monitor', async t => {
  const { api, post, patch, body } = await openMonitorWorld(t, databaseOf());
  const secrets = ['value', 'body', 'changed-value', 'changed-body', 'revived-value', 'keyed-value'].map(
    name => `${name}-${randomUUID()}`,
  );
  const [value, text, changedValue, changedText, revivedValue, keyedValue] = secrets;
  const { id } = (await post({ name: 'secret', method: 'POST', headers: { 'x-secret': value }, body: text })).body;
  await patch(id, { headers: { 'x-secret': changedValue }, body: changedText });
  await api('POST', `/v0/monitors/${id}/pause`);
  await api('DELETE', `/v0/monitors/${id}`);
  t.is((await post({ name: 'secret', headers: { 'x-secret': revivedValue } })).body.id, id);
  const keyed = { ...body, headers: { 'x-secret': keyedValue } };
  t.is((await api('POST', '/v0/monitors', keyed, { 'idempotency-key': randomUUID() })).status, 201);
  await post({ headers: { 'x-secret': `${value}\n` } });
  const everything = Object.values(await readTables(databaseOf()))
    .flat()
    .join('\n');
  t.true(everything.includes(id), 'the dump is one');
  for (const secret of secrets)
    for (const written of [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').slice(0, 30),
    ])
      t.false(everything.includes(written), secret);
});

test.serial('a refusal repeats no header value and no body', async t => {
  const { api, post, body } = await openMonitorWorld(t, databaseOf());
  const secret = `swordfish-${randomUUID()}`;
  const { id } = (await post()).body;
  const answers = [
    await post({ headers: { 'x-a': `${secret}\n`, connection: secret }, body: secret }),
    await api('PATCH', `/v0/monitors/${id}`, { body: secret }),
    await api('POST', '/v0/monitors', `{"headers": {"x-a": "${secret}"}, "body": "${secret}"`),
    await api('POST', '/v0/monitors', { ...body, headers: { 'x-a': secret } }, { authorization: `Bearer ${secret}` }),
  ];
  for (const answer of answers) {
    t.true(answer.status >= 400);
    t.false(JSON.stringify(answer.body).includes(secret));
  }
});
