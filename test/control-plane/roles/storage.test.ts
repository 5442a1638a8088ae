import test from 'ava';
import { DatabaseClock, isTrusted } from '#control-plane/platform/db/clock.ts';
import { createPools } from '#control-plane/platform/db/pool.ts';
import { sqlOf } from '#control-plane/platform/db/sql.ts';
import { CommitTimes } from '#control-plane/platform/http/commit-times.ts';
import { openStorage, readinessOf } from '#control-plane/roles/storage.ts';
import { systemClock } from '#shared/clock.ts';
import { ConfigError } from '#shared/env.ts';
import { createLog } from '#shared/log.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });
const usual = { edition: 'plain', clock: systemClock, commits: new CommitTimes(), outlivesDatabase: false } as const;

function adminUrl(): string {
  const url = new URL(process.env.TEST_DATABASE_ADMIN_URL ?? '');
  url.pathname = new URL(databaseOf()).pathname;
  return url.href;
}

test.serial('a role that bypasses row security refuses to start, unless a flag allows it', async t => {
  const pools = createPools(adminUrl(), log);
  t.teardown(() => pools.end());
  const open = (allowSuperuser: boolean) =>
    openStorage({ databaseUrl: adminUrl(), storage: 'auto', allowSuperuser }, pools, systemClock, log);
  await t.throwsAsync(open(false), {
    instanceOf: ConfigError,
    message: /bypasses row-level security.*ALLOW_SUPERUSER/,
  });
  t.truthy(await open(true));
});

test.serial('readiness is asked once a second, on a connection of its own', async t => {
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  const ready = readinessOf({ ...usual, pools, roles: ['front'], writers: new Map() });
  let asked = 0;
  pools.health.on('acquire', () => {
    asked += 1;
  });
  const busy = [await pools.background.connect(), await pools.front.connect()];
  const answers = await Promise.all(Array.from({ length: 200 }, ready));
  for (const client of busy) client.release();
  t.true(answers.every(answer => answer.ready));
  t.true(asked <= 2, `${asked}`);
});

test.serial('a replica whose results wait for more than a minute is not ready, and says how long', async t => {
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  const common = { ...usual, pools, roles: ['gateway'] } as const;
  const after = (ms: number) => readinessOf({ ...common, writers: new Map([['results', () => ms]]) })();
  t.like(await after(60_000), { ready: true, checks: { waiting_ms: { results: 60_000 } } });
  t.like(await after(60_001), { ready: false, checks: { database: 'ok', waiting_ms: { results: 60_001 } } });
});

test.serial('readiness tells how long ago each writer last committed, and does not depend on it', async t => {
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  let nowMs = 5000;
  const commits = new CommitTimes(() => nowMs);
  commits.expect('facts', 'pages');
  nowMs += 600_000;
  commits.mark('pages');
  nowMs += 250;
  const ready = readinessOf({ ...usual, pools, roles: ['worker'], writers: new Map(), commits });
  t.like(await ready(), { ready: true, checks: { last_commit_ms: { facts: 600_250, pages: 250 } } });
});

test.serial('a replica that has not read the clock of the database, or differs from it, is not ready', async t => {
  const pools = createPools(databaseOf(), log);
  t.teardown(() => pools.end());
  const common = { ...usual, pools, roles: ['gateway'], writers: new Map() } as const;
  const ready = (clock: DatabaseClock) => readinessOf({ ...common, clock })();
  const sql = sqlOf(pools.front);
  const clock = new DatabaseClock();
  t.false(isTrusted(clock));
  t.like(await ready(clock), { ready: false, checks: { database: 'ok', clock_offset_ms: null } });
  await clock.measure(sql);
  t.true(isTrusted(clock));
  t.true((await ready(clock)).ready);
  const behind = new DatabaseClock({ now: () => Date.now() - 2500 });
  await behind.measure(sql);
  const answer = await ready(behind);
  t.false(answer.ready);
  t.true(Number(answer.checks.clock_offset_ms) > 2000);
});
