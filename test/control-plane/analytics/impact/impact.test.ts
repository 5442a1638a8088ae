import test from 'ava';
import fc from 'fast-check';
import { compareRelease } from '#control-plane/analytics/impact/compare-release.ts';
import { estimateMissing, estimateUsers, type Users } from '#control-plane/analytics/impact/estimate.ts';
import { readImpact } from '#control-plane/analytics/impact/impact.ts';
import { baselinesOf, sidesOf, windowOf } from '#control-plane/analytics/impact/windows.ts';
import { listGrave } from '#control-plane/publishing/incidents/times-store.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { drawn, expectedUsers, stream } from '#test/oracles/impact.ts';
import { apiOf, createTenant, startReplica, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const databaseOf = useDatabase(test);
const users = (active: number, withErrors: number): Users => ({ active, withErrors });
const week = fc.nat({ max: 5000 }).chain(active => fc.tuple(fc.constant(active), fc.nat({ max: active })));

test('the estimate is that of an independent calculation, its interval holds it, and its bounds are in order', t => {
  fc.assert(
    fc.property(week, fc.array(week, { minLength: 2, maxLength: 4 }), (window, weeks) => {
      const estimate = estimateUsers(
        users(...window),
        weeks.map(([active, errors]) => users(active, errors)),
      );
      const isKnown = window[0] >= 50 && weeks.reduce((sum, [active]) => sum + active, 0) >= 200;
      t.is(estimate.status, isKnown ? 'measured' : 'cannot_tell');
      if (!isKnown) return;
      const oracle = expectedUsers(window, weeks);
      t.true(Math.abs((estimate.low ?? 0) - oracle.low) <= 1 && Math.abs((estimate.high ?? 0) - oracle.high) <= 1);
      t.true(Math.abs((estimate.expected ?? 0) - oracle.expected) <= 0.051);
      const { low, affected, high, with_errors: errors, significant } = estimate;
      t.true(0 <= Number(low) && Number(low) <= Number(affected) && Number(affected) <= Number(high));
      t.true(Number(high) <= Number(errors));
      t.is(significant, Number(low) > 0);
    }),
  );
});

test('the interval holds the true number in at least 93 of 100 incidents, and quiet hours are not significant', t => {
  const random = stream(20_261_122);
  let [held, alarms] = [0, 0];
  const rounds = 400;
  for (let round = 0; round < rounds; round++) {
    const usual = 0.005 + random() * 0.03;
    const active = 300 + Math.floor(random() * 1500);
    const weeks = Array.from({ length: 4 }, () => users(active, drawn(random, active, usual)));
    const hit = Math.floor(active * (0.05 + random() * 0.3));
    const quiet = drawn(random, active, usual);
    const { low, high } = estimateUsers(users(active, hit + drawn(random, active - hit, usual)), weeks);
    // Some of those who were hit would have had an error anyway.
    const truth = hit * (1 - usual);
    if (Number(low) <= truth && truth <= Number(high)) held++;
    if (estimateUsers(users(active, quiet), weeks).significant === true) alarms++;
  }
  t.true(held >= 0.93 * rounds, `${held}`);
  t.true(alarms <= 0.05 * rounds, `${alarms}`);
});

test('a quiet night, too few weeks and no events at all cannot tell', t => {
  const weeks = [users(500, 5), users(500, 5), users(500, 5)];
  t.like(estimateUsers(users(49, 9), weeks), { status: 'cannot_tell', reason: 'too_few_users', with_errors: 9 });
  t.is(estimateUsers(users(500, 9), weeks.slice(1, 2)).reason, 'no_baseline');
  t.is(estimateUsers(users(0, 0), []).reason, 'no_events');
  t.deepEqual(estimateMissing(300, weeks), { status: 'measured', reason: null, expected: 500, low: 200, high: 200 });
  t.is(estimateMissing(300, weeks.slice(1)).reason, 'no_baseline');
  t.is(estimateMissing(3, [users(10, 0), users(10, 0), users(10, 0)]).reason, 'too_few_users');
});

test('a release that breaks something is suspect in 95 of 100, an idle one in no more than 5', t => {
  const random = stream(7);
  let [suspects, idle] = [0, 0];
  const rounds = 300;
  const hourMs = 60 * minuteMs;
  for (let round = 0; round < rounds; round++) {
    const active = 400 + Math.floor(random() * 800);
    const usual = 0.01 + random() * 0.02;
    const sides = (after: number) => ({
      before: users(active, drawn(random, active, usual)),
      after: users(active, drawn(random, active, after)),
      early: users(active, drawn(random, active, usual)),
      late: users(Math.floor(active / 3), drawn(random, Math.floor(active / 3), usual)),
      beforeMs: hourMs,
      afterMs: hourMs,
    });
    if (compareRelease(sides(usual + 0.1), 3).verdict === 'suspect') suspects++;
    if (compareRelease(sides(usual), 3).verdict === 'suspect') idle++;
  }
  t.true(suspects >= 0.95 * rounds, `${suspects}`);
  t.true(idle <= 0.05 * rounds, `${idle}`);
});

test('what keeps a release from being suspect is said', t => {
  const hourMs = 60 * minuteMs;
  const lengths = { beforeMs: hourMs, afterMs: hourMs };
  const calm = { early: users(500, 5), late: users(200, 2) };
  const sides = { before: users(500, 5), after: users(500, 80), ...calm, ...lengths };
  t.is(compareRelease(sides, 1).verdict, 'suspect');
  t.is(compareRelease({ ...sides, afterMs: 4 * minuteMs }, 1).reason, 'too_close');
  t.is(compareRelease({ ...sides, before: users(49, 0) }, 1).reason, 'too_few_users');
  t.is(compareRelease({ ...sides, after: users(500, 9) }, 1).reason, 'not_clear');
  t.is(compareRelease({ ...sides, early: users(500, 2), late: users(300, 60) }, 1).reason, 'rose_before');
  t.is(compareRelease({ ...sides, before: users(5000, 300), after: users(5000, 290) }, 1).verdict, 'unlikely');
});

test('windows are cut at seven days, weeks with other incidents are left out, sides end at neighbours and now', t => {
  const startedAt = 100 * dayMs;
  t.is(windowOf({ startedAt, resolvedAt: null }, startedAt + 9 * dayMs).toMs, startedAt + 7 * dayMs);
  const window = windowOf({ startedAt, resolvedAt: startedAt + 10 * minuteMs }, startedAt + dayMs);
  const disturbed = (weeks: number, minutes: number) => {
    const fromMs = startedAt - weeks * 7 * dayMs;
    return { fromMs, toMs: fromMs + minutes * minuteMs };
  };
  const spans = baselinesOf(window, {
    keptFromMs: startedAt - 25 * dayMs,
    incidents: [disturbed(1, 2), disturbed(2, 1)],
  });
  t.deepEqual(
    spans.map(span => (startedAt - span.fromMs) / dayMs),
    [14, 21],
    'a tenth may be disturbed, more not, and the fourth week is not kept',
  );
  const sides = sidesOf(startedAt, {
    previous: startedAt - 30 * minuteMs,
    next: null,
    nowMs: startedAt + 9 * minuteMs,
  });
  t.deepEqual([sides.before.fromMs, sides.after.toMs], [startedAt - 30 * minuteMs, startedAt + 9 * minuteMs]);
  t.is(sides.late.fromMs, startedAt - 15 * minuteMs);
});

test('the impact of an incident is told from the events of its project, with the release that preceded it', async t => {
  const replica = await startReplica(databaseOf(), { roles: ['front'] });
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseOf());
  const api = apiOf(replica.url, token);
  const startMs = Date.now() - 120 * minuteMs;
  const at = (ms: number) => new Date(ms).toISOString();
  await withSql(databaseOf(), async sql => {
    // Of 300 users 3 have an error in each hour of the weeks before, and 60 from the release on.
    for (const weeks of [0, 1, 2, 3]) {
      for (const hour of [-1, 0]) {
        const errors = weeks === 0 && hour === 0 ? 60 : 3;
        const fromMs = startMs - weeks * 7 * dayMs + hour * 60 * minuteMs;
        await sql.run`
          insert into events (project_id, id, name, type, actor, timestamp, ingested_at)
          select ${projectId}, 'evt_' || ${`${weeks}_${hour}_`} || n || type,
            case type when 'error' then ${errors > 3 ? 'Broken' : 'Usual'} else 'view' end, type, n,
            ${at(fromMs)}::timestamptz + n * interval '10 seconds', now()
          from generate_series(1, 300) as n, unnest(array['track', 'error']) as type
          where type = 'track' or n <= ${errors}`;
      }
    }
    await sql.run`
      insert into events (project_id, id, name, type, actor, timestamp, ingested_at)
      values (${projectId}, 'evt_first', 'view', 'track', 1, ${at(startMs - 22 * dayMs)}, now())`;
  });
  const released = await api('POST', '/v0/releases', { version: '2', released_at: at(startMs) });
  const page = await api('POST', '/v0/status-pages', { name: 'Acme' });
  const posted = { title: 'x', severity: 'p1', status_page_id: page.body.id, started_at: at(startMs) };
  const incident = (await api('POST', '/v0/incidents', posted)).body;
  const path = `/v0/incidents/${incident.id}/impact`;
  const { status, body } = await api('GET', path);
  t.is(status, 200, JSON.stringify(body));
  t.like(body, { definition: 1, source: 'raw', estimated: false, releases: { status: 'measured' } });
  t.like(body.users, { status: 'measured', with_errors: 60, active: 300, significant: true });
  t.true(body.users.low <= 57 && 57 <= body.users.high);
  t.like(body.missing, { status: 'measured', expected: 300, low: 0, high: 0 });
  t.like(body.releases.candidates[0], {
    id: released.body.id,
    verdict: 'suspect',
    before: { active: 300, with_errors: 3 },
    after: { active: 300, with_errors: 60 },
    new_errors: [{ name: 'Broken', users: 60 }],
  });
  t.false(JSON.stringify(body).includes('cause'));
  const tell = (eventsMax: number) => {
    const times = { started_at: Date.parse(incident.started_at), resolved_at: null };
    const incidents = { listGrave };
    const fixed = { errors: null, environment: 'production', lookbackMinutes: 60, retentionDays: 30 };
    return withSql(databaseOf(), sql =>
      readImpact(sql, { projectId, incident: times, incidents, ...fixed }, Date.now(), eventsMax),
    );
  };
  const bare: string[] = [];
  for (let eventsMax = 1000; eventsMax < 4000; eventsMax += 30) {
    const [found] = (await tell(eventsMax)).releases.candidates;
    if (found?.verdict === 'suspect' && found.new_errors.length === 0) bare.push(found.verdict);
  }
  t.true(bare.length > 0, 'where events are too many for both, the release is compared and its errors are left out');
  t.is((await api('GET', `${path}?errors=Usual`)).body.users.with_errors, 0);
  t.is((await api('GET', `${path}?errors=["Usual","Broken"]`)).body.users.with_errors, 60);
  t.deepEqual((await api('GET', `${path}?environment=staging`)).body.releases, { status: 'none', candidates: [] });
  const compared = (await api('GET', `/v0/releases/${released.body.id}/comparison`)).body;
  t.like(compared, {
    release_id: released.body.id,
    verdict: 'suspect',
    before: { active: 300, with_errors: 3 },
    after: { active: 300, with_errors: 60 },
    before_window: { from: at(startMs - 60 * minuteMs), to: at(startMs) },
    after_window: { from: at(startMs), to: at(startMs + 60 * minuteMs) },
  });
  const fresh = await api('POST', '/v0/releases', { version: '3' });
  const early = (await api('GET', `/v0/releases/${fresh.body.id}/comparison`)).body;
  t.like(early, { verdict: 'cannot_tell', reason: 'too_close' });
  t.is((await api('GET', '/v0/releases/rel_none/comparison')).status, 404);
  for (const query of ['errors=[', 'lookback_minutes=4', 'lookback_minutes=1441', 'other=1'])
    t.is((await api('GET', `${path}?${query}`)).status, 400, query);
  const reader = (await api('POST', '/v0/tokens', { name: 'r', scopes: ['incidents:read'] })).body.token;
  t.is((await apiOf(replica.url, reader)('GET', path)).body.code, 'insufficient_scope');
});
