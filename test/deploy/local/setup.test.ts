import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { hashBearer } from '#control-plane/platform/secrets/bearer.ts';
import { setUp } from '#deploy/local/setup.ts';
import { withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);

test.serial('samples are in a project of their own, which later starts use again', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-setup-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const first = await setUp(folder, database());
  t.truthy(first.sample);
  t.not(first.sample?.project_id, first.project_id);
  t.deepEqual(await setUp(folder, database()), first);
});

test.serial(
  'a token of the sample project operates no agents, and the one in a URL only reads what its page shows',
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'upquorum-setup-'));
    t.teardown(() => rm(folder, { recursive: true }));
    const scopesOf = (token: string) =>
      withSql(
        database(),
        sql => sql.row<{ scopes: string[] }>`select scopes from tokens where hash = ${hashBearer(token)}`,
      );
    const first = await setUp(folder, database());
    t.deepEqual(await scopesOf(first.token), { scopes: ['*', 'agents:operate'] });
    t.deepEqual(await scopesOf(first.sample.token), { scopes: ['*'] });
    t.deepEqual(await scopesOf(first.sample.link_token), { scopes: ['events:read', 'flows:read'] });
  },
);
