import { randomUUID } from 'node:crypto';
import test from 'ava';
import { startControlPlane } from '#control-plane/control-plane.ts';
import { createLog } from '#shared/log.ts';
import { apiOf, configFor, createRegions, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { readTables } from '#test/support/tables.ts';

const databaseOf = useDatabase(test);

test('twenty secrets of a project are in no table, log, audit, error or answer to a reader', async t => {
  const lines: string[] = [];
  const log = createLog({ name: 'test', level: 'trace', destination: { write: (line: string) => lines.push(line) } });
  const replica = await startControlPlane(configFor(databaseOf(), { logLevel: 'trace' }), log);
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const region = `secret-${projectId.slice(-8)}`;
  await createRegions(databaseOf(), [region], projectId);
  const secrets: string[] = [token];
  const secret = (): string => {
    const text = `S3CR3T-${randomUUID()}`;
    secrets.push(text);
    return text;
  };
  const answers: string[] = [];
  const body = { name: 'm', url: 'https://example.com/', interval_seconds: 60, regions: [region], method: 'POST' };
  for (let index = 0; index < 4; index++) {
    const keyed = { 'idempotency-key': randomUUID() };
    const posted = { ...body, name: `m${index}`, headers: { 'x-key': secret() }, body: secret() };
    const made = await api('POST', '/v0/monitors', posted, keyed);
    t.is(made.status, 201);
    await api('PATCH', `/v0/monitors/${made.body.id}`, { headers: { 'x-other': secret() }, body: secret() });
    const refused = await api('PATCH', `/v0/monitors/${made.body.id}`, { headers: { 'a b': secret() }, timeout_ms: 1 });
    t.is(refused.status, 422);
    answers.push(JSON.stringify(refused.body));
  }
  const slack = await api('PUT', '/v0/slack', { bot_token: secret() });
  const webhook = await api('POST', '/v0/webhooks', { url: `https://hooks.example/${secret()}` });
  t.deepEqual([slack.status, webhook.status], [200, 201]);
  secrets.push(webhook.body.secret);
  const reader = (await api('POST', '/v0/tokens', { name: 'reader', scopes: ['monitors:read', 'project:read'] })).body;
  const auditor = (await api('POST', '/v0/tokens', { name: 'auditor', scopes: ['audit:read', 'tokens:read'] })).body;
  secrets.push(reader.token, auditor.token);
  const browser = apiOf(replica.url, '');
  const session = await browser('POST', '/dashboard/session', { token });
  secrets.push(session.body.csrf_token, String(session.headers['set-cookie']).split(/[=;]/)[1] ?? '');
  for (const [call, paths] of [
    [apiOf(replica.url, reader.token), ['/v0/monitors', '/v0/project', '/v0/webhooks', '/v0/slack']],
    [apiOf(replica.url, auditor.token), ['/v0/audit?limit=200', '/v0/tokens']],
    [browser, ['/metrics', '/readyz', '/v0/monitors', '/v0/nothing']],
  ] as const)
    for (const path of paths) answers.push(JSON.stringify((await call('GET', path)).body));
  await api('POST', '/v0/monitors', `{"name": "${secret()}`);
  t.true(secrets.length >= 20, `${secrets.length}`);
  const tables = Object.values(await readTables(databaseOf())).flat();
  t.true(tables.length > 20 && lines.length > 20);
  for (const [index, text] of secrets.entries()) {
    // What is stored as bytes is shown in hexadecimal.
    const hex = Buffer.from(text).toString('hex');
    t.false(
      tables.some(row => row.includes(text) || row.includes(hex)),
      `secret ${index} in a table`,
    );
    t.false(
      lines.some(line => line.includes(text)),
      `secret ${index} in the log`,
    );
    t.false(
      answers.some(answer => answer.includes(text)),
      `secret ${index} in an answer`,
    );
  }
});
