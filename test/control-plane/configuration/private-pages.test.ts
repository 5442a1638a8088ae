import test from 'ava';
import { apiOf, createTenant } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { sharedReplica } from '#test/support/shared-replica.ts';

const databaseOf = useDatabase(test);

test('who may see a page is planned, applied and exported, without a secret', async t => {
  const replica = await sharedReplica(databaseOf());
  const { token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const plan = (document: string, env: object) => api('POST', '/v0/config/plan', { document, env });
  const text = `upquorum: 1
manager: git-ops
status_pages:
  - key: acme
    name: Acme
    slug: acme
    access: { type: password, password: { $env: PASSWORD } }
  - { key: linked, name: Linked, slug: linked, access: { type: link } }
  - { key: open, name: Open, slug: open }
`;
  const env = { PASSWORD: 'correct horse' };
  const planned = await plan(text, env);
  t.like(planned.body, { counts: { create: 3 } }, JSON.stringify(planned.body));
  const applied = await api('POST', '/v0/config/apply', { plan_id: planned.body.id, expected_deletes: 0 });
  t.is(applied.status, 200, JSON.stringify(applied.body));
  t.notRegex(JSON.stringify([planned.body, applied.body]), /correct horse|up[vf]_/);
  t.like((await plan(text, env)).body.counts, { unchanged: 3, update: 0 });
  const changed = (await plan(text, { PASSWORD: 'another horse' })).body;
  t.like(changed.counts, { unchanged: 2, update: 1 });
  t.notRegex(JSON.stringify(changed), /horse/);
  const exported = await fetch(`${replica.url}/v0/config/export`, { headers: { authorization: `Bearer ${token}` } });
  const document = await exported.text();
  t.notRegex(document, /up[vf]_|feed_url|version|public/);
  t.regex(document, /type: password\s+password:\s+\$env: (\w+)/);
  const name = /password:\s+\$env: (\w+)/.exec(document)?.[1] ?? '';
  const again = await plan(document.replace('manager: exported', 'manager: git-ops'), { [name]: env.PASSWORD });
  t.like(again.body.counts, { unchanged: 3, update: 0 }, JSON.stringify(again.body));
});
