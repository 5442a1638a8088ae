import { setImmediate } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { instant, type Sql, sqlOf } from '#control-plane/platform/db/sql.ts';
import { previewPage } from '#control-plane/publishing/status-pages/publish/preview.ts';
import { Previewer } from '#control-plane/publishing/status-pages/publish/previewer.ts';
import { findStatusPage } from '#control-plane/publishing/status-pages/store.ts';
import { createLog } from '#shared/log.ts';
import { until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { useOwnThreads } from '#test/support/kept-threads.ts';
import { addMeasuredComponents, addQuietMonitors } from '#test/support/large-page.ts';
import { createPage, type PageRows } from '#test/support/page-rows.ts';
import { timesAsLong } from '#test/support/thread-time.ts';

const databaseOf = useDatabase(test);
useOwnThreads(test);
const log = createLog({ name: 'test', level: 'silent' });
const context = { baseUrl: 'https://up.example', canMail: true };

/** 300 components whose different sets of monitors share one that changed 550 times: 165,000 changes are merged. */
async function addFlappingComponents(sql: Sql, page: PageRows): Promise<void> {
  const now = Date.now();
  await addMeasuredComponents(sql, page, 300, now);
  await addQuietMonitors(sql, page, now);
  await sql.run`
    insert into verdict_changes (monitor_id, since, project_id, verdict, votes, config_version)
    select ${`mon_${page.statusPageId}`}, ${instant(now)}::timestamptz - number * interval '7 seconds',
      ${page.projectId}, case when number % 2 = 0 then 'up' else 'degraded' end, '{}', 1
    from generate_series(1, 550) as number`;
}

async function openPreviewer(t: ExecutionContext) {
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  const page = await createPage(databaseOf());
  const sql = sqlOf(pools.background);
  const open = (busyMaxMs = 120_000) => {
    const previewer = new Previewer({ ...context, connectionString: databaseOf(), logLevel: 'silent', log, busyMaxMs });
    t.teardown(() => previewer[Symbol.asyncDispose]());
    return previewer;
  };
  const row = await findStatusPage(sql, page.projectId, page.statusPageId);
  if (row === null) throw new Error('there is no such page');
  return { sql, page, open, request: { row, patch: {}, nowMs: Date.now() } };
}

test.serial('the preview of a large page does not take this event loop', async t => {
  const { sql, page, open, request } = await openPreviewer(t);
  await addFlappingComponents(sql, page);
  const previewer = open();
  const here = () => previewPage(sql, request.row, {}, { ...context, nowMs: request.nowMs, level: 1 });
  await Promise.all([here(), previewer.render(request)]);
  const times = await timesAsLong(1 / 2, here, () => previewer.render(request));
  t.true(times < 1 / 2, `${times} of the time it takes to render`);
});

test.serial('a preview that takes too long in every form is refused, and the next one has another thread', async t => {
  const { sql, page, open, request } = await openPreviewer(t);
  await addFlappingComponents(sql, page);
  const hurried = open(1);
  // A busy machine can be late to look, and finds the page rendered.
  const outcome = () => hurried.render(request).then(() => 'rendered', String);
  await until(outcome, text => /took too long to render/.test(text));
  const previewer = open();
  const [first, second] = await Promise.all([
    previewer.render(request),
    previewer.render({ ...request, patch: { name: 'Renamed' } }),
  ]);
  t.false(first.includes('Renamed'));
  t.true(second.includes('Renamed'));
});

test.serial('previews beyond those that may wait are refused at once', async t => {
  const { open, request } = await openPreviewer(t);
  const previewer = open();
  const asked = await Promise.allSettled(Array.from({ length: 22 }, () => previewer.render(request)));
  t.is(asked.filter(({ status }) => status === 'fulfilled').length, 20);
});

test.serial('a preview that is under way when its thread is stopped is refused, and waits for nothing', async t => {
  const { open, request } = await openPreviewer(t);
  const previewer = open();
  const refused = t.throwsAsync(previewer.render(request), { message: /was stopped/ });
  await setImmediate();
  await previewer[Symbol.asyncDispose]();
  await refused;
});
