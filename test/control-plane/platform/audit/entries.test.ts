import test from 'ava';
import fc from 'fast-check';
import { changedNames, writtenChange } from '#control-plane/platform/audit/entry.ts';
import { hookFields, sealed } from '#control-plane/platform/audit/sealed.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import type { AuditView } from '#control-plane/platform/projects/audit.ts';
import { deleteAuditBefore } from '#control-plane/platform/projects/audit-store.ts';
import { apiOf, createTenant, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);
const hash = (_: string | null, value: string) => Promise.resolve(`secret:${value.length}`);
const change = { action: 'monitor.updated', subject: 'mon_1', name: 'm' } as const;
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'updated_at'), fc.oneof(fc.string(), fc.array(fc.nat())));

test('an entry has exactly the fields that differ, each from one side to the other', async t => {
  await fc.assert(
    fc.asyncProperty(fields, fields, async (before, after) => {
      const names = changedNames(before, after);
      const written = await writtenChange({ projectId: 'p' }, { ...change, before, after }, hash);
      t.is(written === null, names.length === 0);
      if (written === null) return;
      t.false(names.includes('updated_at'));
      for (const side of [written.before, written.after]) t.deepEqual(Object.keys(side ?? {}), names);
      for (const name of names) t.notDeepEqual(written.before?.[name], written.after?.[name]);
    }),
  );
});

test('a secret is shown by its hash wherever it is, and a long text by its beginning', async t => {
  const after = {
    headers: { key: sealed('hunter2'), other: sealed(null) },
    list: [sealed('hunter22')],
    ...hookFields('https://hooks.example/T0/x?y=1#z'),
    text: 'x'.repeat(5000),
  };
  const written = await writtenChange({ projectId: null }, { ...change, before: null, after }, hash);
  t.like(written?.after, {
    headers: { key: 'secret:7', other: null },
    list: ['secret:8'],
    url: 'https://hooks.example',
    url_rest: 'secret:11',
  });
  t.regex(String(written?.after?.text), /^x{4000}… \[5000 characters, sha256 [0-9a-f]{8}\]$/);
  t.is(JSON.stringify(sealed('hunter2')), '"********"');
});

test('a change of another resource alone is an entry, too', async t => {
  const effect = { resource: 'token', subject: 'tok_2', name: 'b', before: { x: 1 }, after: { x: 2 } } as const;
  const own = { before: { x: 1 }, after: { x: 1 } };
  t.is(
    await writtenChange({ projectId: 'p' }, { ...change, ...own, also: [{ ...effect, after: { x: 1 } }] }, hash),
    null,
  );
  const written = await writtenChange({ projectId: 'p' }, { ...change, ...own, also: [effect] }, hash);
  t.like(written, { before: {}, after: {}, also: [effect] });
});

test('an entry stores some KiB of a change however large, says what was cut, and tells two apart', async t => {
  const large = (letter: string) => ({ first: 'short', list: Array(1000).fill(letter.repeat(100)), last: 'short' });
  const also = Array.from({ length: 200 }, (_, index) => {
    return { resource: 'token', subject: `tok_${index}`, name: null, before: null, after: large('c') } as const;
  });
  const written = await writtenChange(
    { projectId: 'p' },
    { ...change, before: large('a'), after: large('b'), also },
    hash,
  );
  t.true(JSON.stringify(written).length < 64 * 1024, `${JSON.stringify(written).length} bytes`);
  t.regex(String(written?.after?.list), /^cut: 103001 bytes of JSON, sha256 [0-9a-f]{8}$/);
  t.not(written?.before?.list, written?.after?.list);
  const small = await writtenChange(
    { projectId: 'p' },
    { ...change, before: null, after: { ...large('a'), list: ['a'] } },
    hash,
  );
  t.deepEqual(small?.after, { first: 'short', list: ['a'], last: 'short' });
});

test.serial('filters, pages and the stream agree, and entries of version 0.4 are among them', async t => {
  const { api, projectId, url, token } = await openWorld();
  await withSql(databaseOf(), async sql => {
    // As version 0.4 writes them, beside this one and before.
    for (const [index, action] of ['PATCH /v0/monitors/{id}', 'project limits', 'POST /v0/monitors/bulk'].entries())
      await sql.run`
        insert into audit_entries (id, project_id, at, actor, action, subject, detail)
        values (
          ${`aud_old${index}${projectId}`}, ${projectId}, ${`2026-01-0${index + 1}T00:00:00Z`},
          ${index === 1 ? 'operator' : 'tok_old'}, ${action}, 'mon_1', '{"fields": ["name"]}'
        )`;
  });
  for (let index = 0; index < 60; index++) await api('PATCH', '/v0/project', { name: `P${index}` });
  const all: AuditView[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await api('GET', `/v0/audit?limit=25${cursor === '' ? '' : `&cursor=${cursor}`}`);
    all.push(...body.data);
    cursor = body.pagination.next_cursor;
  }
  t.is(all.length, 63);
  const response = await fetch(`${url}/v0/audit`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  });
  t.is(response.headers.get('content-type'), 'application/x-ndjson');
  const lines = (await response.text()).trim().split('\n');
  t.deepEqual(
    lines.map(line => JSON.parse(line)),
    all.toReversed(),
  );
  t.like(all.at(-1), { action: 'monitor.updated', actor: { type: 'token', id: 'tok_old', name: null }, via: 'api' });
  t.deepEqual(all.at(-1)?.detail, { fields: ['name'] });
  t.like(all.at(-2), { action: 'project.limits_changed', actor: { type: 'admin', id: 'operator' }, via: 'admin' });
  t.like(all.at(-3), { action: 'monitor.updated', via: 'bulk' });
  for (const [query, count] of [
    ['resource=monitor', 2],
    ['action=project.limits_changed', 1],
    ['resource=project&action=project.updated,monitor.updated', 60],
    ['actor=operator', 1],
    ['subject=mon_1', 3],
    ['from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z', 1],
  ] as const)
    t.is((await api('GET', `/v0/audit?limit=200&${query}`)).body.data.length, count, query);
  t.is((await api('GET', '/v0/audit?action=monitor.looked_at')).status, 400);
  const paged = await api('GET', '/v0/audit?limit=2', undefined, { accept: 'application/x-ndjson' });
  t.is(paged.body.errors[0].parameter, 'limit');
  for (const accept of ['application/json', 'application/x-ndjson']) {
    const range = 'from=2026-01-03T00:00:00Z&to=2026-01-02T00:00:00Z';
    const turned = await api('GET', `/v0/audit?${range}`, undefined, { accept });
    t.deepEqual([turned.status, turned.body.errors?.[0].parameter], [400, 'from'], accept);
  }
});

test.serial('a stream is read no faster than its client takes it, and holds no connection meanwhile', async t => {
  const { api, projectId, url, token, pools } = await openWorld();
  await withSql(
    databaseOf(),
    sql => sql.run`
      insert into audit_entries (id, project_id, at, actor, action, subject, detail, after)
      select
        'aud_big' || ${projectId} || n, ${projectId}, now() - interval '1 day' + n * interval '1 millisecond',
        'operator', 'project.created', 'x', '{}', jsonb_build_object('text', repeat('x', 8000))
      from generate_series(1, 16000) as n`,
  );
  const response = await fetch(`${url}/v0/audit`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/x-ndjson' },
  });
  const reader = response.body?.getReader();
  const first = await reader?.read();
  t.true((first?.value?.length ?? 0) > 0);
  t.is((await api('GET', '/v0/project')).status, 200);
  await until(() => pools.reports.totalCount - pools.reports.idleCount, 0);
  // What is deleted before the client comes to it was not read ahead.
  await withSql(
    databaseOf(),
    sql => sql.run`
      delete from audit_entries
      where project_id = ${projectId}
        and at > (select min(at) + interval '4 seconds' from audit_entries where project_id = ${projectId})`,
  );
  let bytes = first?.value?.length ?? 0;
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) bytes += part.value.length;
  // The kernel alone may hold some 40 MB of the 128 for a client that does not read.
  t.true(bytes > 4000 * 8000 && bytes < 13_000 * 8000, `${bytes}`);
});

test.serial('entries never change, and are deleted when they are old enough', async t => {
  const { api, projectId } = await openWorld();
  await api('PATCH', '/v0/project', { name: 'Other' });
  await withSql(databaseOf(), async sql => {
    await t.throwsAsync(() => sql.run`update audit_entries set actor = 'x' where project_id = ${projectId}`, {
      message: /never change/,
    });
    await deleteAuditBefore(sql, Date.now() - 60_000);
    t.is((await api('GET', '/v0/audit')).body.data.length, 1);
    await deleteAuditBefore(sql, Date.now() + 60_000);
  });
  t.deepEqual((await api('GET', '/v0/audit')).body.data, []);
});

test.serial('sign-ins are recorded, those that are refused too, and what ends them', async t => {
  const { url, api, token } = await openWorld();
  const browser = apiOf(url, '');
  const made = (await api('POST', '/v0/tokens', { name: 'late', scopes: ['*'] })).body;
  await api('DELETE', `/v0/tokens/${made.id}`);
  t.is((await browser('POST', '/dashboard/session', { token: made.token })).status, 401);
  t.is((await browser('POST', '/dashboard/session', { token: `${token}x` })).status, 401);
  const session = await browser('POST', '/dashboard/session', { token });
  const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
  const signedIn = { cookie, 'x-csrf-token': session.body.csrf_token };
  t.is((await browser('PATCH', '/v0/project', { name: 'By hand' }, signedIn)).status, 200);
  t.is((await browser('DELETE', '/dashboard/session', undefined, signedIn)).status, 204);
  const { data } = (await api('GET', '/v0/audit?limit=4')).body;
  t.deepEqual(
    data.map((entry: AuditView) => [entry.action, entry.actor.name, entry.via]),
    [
      ['session.ended', 'test', 'dashboard'],
      ['project.updated', 'test', 'dashboard'],
      ['session.created', 'test', 'dashboard'],
      ['session.refused', 'late', 'dashboard'],
    ],
  );
  t.deepEqual(data[2].after, { expires_at: session.body.expires_at, method: 'token' });
  t.deepEqual(data[3].after, { method: 'token', reason: 'token_revoked' });
  const unknown = await withSql(
    databaseOf(),
    sql => sql.rows<{ after: unknown }>`select after from audit_entries where project_id is null and actor = 'unknown'`,
  );
  t.deepEqual(
    unknown,
    [{ after: { method: 'token', reason: 'invalid_token' } }],
    'whose it was, nobody knows: only the operator sees it',
  );
});

async function openWorld() {
  const replica = await sharedReplica(databaseOf(), { roles: ['front'] });
  const tenant = await createTenant(databaseOf());
  const { url, pools } = replica;
  return { ...tenant, url, pools, api: apiOf(url, tenant.token), sql: sqlOf(pools.front) };
}
