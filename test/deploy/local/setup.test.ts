import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { hashBearer } from '#control-plane/platform/secrets/bearer.ts';
import { setUp } from '#deploy/local/setup.ts';
import { writeState } from '#deploy/local/state-file.ts';
import { createTenant, withSql } from '#test/support/control-plane.ts';
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

test.serial('samples that an earlier version made in the first project stay there', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'upquorum-setup-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const { projectId: project_id, token } = await createTenant(database());
  const earlier = { project_id, token, agents: {}, first_monitor: true, sample_page: true };
  await writeState(join(folder, 'credentials.json'), earlier);
  t.like(await setUp(folder, database()), { project_id, sample: { project_id, token } });
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

    const { project_id, token } = first.sample;
    await withSql(
      database(),
      sql => sql.run`update tokens set scopes = '{*,agents:operate}' where hash = ${hashBearer(token)}`,
    );
    await writeState(join(folder, 'credentials.json'), { ...first, sample: { project_id, token } });
    const next = await setUp(folder, database());
    t.like(next.sample, { project_id, token });
    t.deepEqual(await scopesOf(token), { scopes: ['*'] }, 'of an earlier version');
    t.deepEqual(await scopesOf(next.sample.link_token), { scopes: ['events:read', 'flows:read'] });
    t.deepEqual(await scopesOf(next.token), { scopes: ['*', 'agents:operate'] });
  },
);
