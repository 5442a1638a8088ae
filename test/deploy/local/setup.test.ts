import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { setUp } from '#deploy/local/setup.ts';
import { writeState } from '#deploy/local/state-file.ts';
import { createTenant } from '#test/support/control-plane.ts';
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
