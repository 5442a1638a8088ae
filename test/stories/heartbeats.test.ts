import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import got from 'got';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const minuteMs = 60_000;

async function openHeartbeats(t: Parameters<typeof openAlertingWorld>[0], databaseUrl: string) {
  const world = await openAlertingWorld(t, databaseUrl);
  // The clock jumps: no time of these tests is one without a front.
  await withSql(
    databaseUrl,
    sql => sql.run`
      insert into front_attendance (id, started_at, renewed_at)
      values (${randomUUID()}, now() - interval '1 day', now() + interval '3 days')`,
  );
  const make = (name: string, heartbeat: object = {}, more: object = { interval_seconds: 300 }) =>
    world.made('/v0/monitors', { kind: 'heartbeat', name, heartbeat, ...more });
  const signal = (url: string, ending = '', options: object = {}) =>
    got(url.replace('http://localhost:8080', world.replica.url) + ending, {
      throwHttpErrors: false,
      retry: { limit: 0 },
      ...options,
    });
  const get = async (id: string) => (await world.api('GET', `/v0/monitors/${id}`)).body;
  const statusOf = async (id: string) => (await get(id)).status;
  const untilStatus = (id: string, wanted: string) =>
    until(
      () => statusOf(id),
      status => status === wanted,
    );
  const checks = async (id: string) => (await world.api('GET', `/v0/monitors/${id}/checks`)).body.data;
  return { ...world, make, signal, get, untilStatus, checks };
}

test.serial(
  'a job that signals is up, its silence is down since the deadline, and its next success is up again',
  async t => {
    const world = await openHeartbeats(t, database());
    const made = await world.make('backup', { grace_seconds: 60 });
    t.like(made, {
      kind: 'heartbeat',
      status: 'pending',
      regions: [],
      quorum: 1,
      timeout_ms: 30_000,
      unable_regions: [],
    });
    t.regex(made.url, /^http:\/\/localhost:8080\/hb\/uph_[0-9A-Za-z]{38}$/);
    const first = await world.signal(made.url);
    t.is(first.statusCode, 200);
    t.is(first.body, 'OK');
    t.is(first.headers['cache-control'], 'no-store');
    const up = await world.get(made.id);
    t.is(up.status, 'up');
    t.is(Date.parse(up.heartbeat.deadline_at) - Date.parse(up.heartbeat.last_success_at), 360_000);
    world.pass(5 * minuteMs);
    t.is((await world.get(made.id)).status, 'up', 'the grace is not over');
    world.pass(2 * minuteMs);
    await world.untilStatus(made.id, 'down');
    const down = await world.get(made.id);
    t.is(down.status_since, up.heartbeat.deadline_at);
    const [missed, ...others] = await world.checks(made.id);
    t.like(missed, {
      kind: 'missed',
      region: 'heartbeat',
      agent_id: null,
      attempt: 1,
      status: 'err',
      output: undefined,
    });
    t.is(missed.scheduled_at, up.heartbeat.expected_at);
    t.is(missed.error.code, 'heartbeat_missed');
    t.is(others.length, 1);
    const { data: alerts } = (await world.api('GET', '/v0/alerts?state=open')).body;
    t.is(alerts.length, 1);
    t.like(alerts[0], { title: 'backup is down', regions: ['heartbeat'], regions_failing: ['heartbeat'] });
    t.is(alerts[0].reason.error_code, 'heartbeat_missed');
    const { body: why } = await world.api('GET', `/v0/alerts/${alerts[0].id}/explanation`);
    t.log(why.sentence);
    world.pass(60 * minuteMs);
    t.is((await world.checks(made.id)).length, 2, 'one outage is one missed deadline');
    await world.signal(made.url);
    await world.untilStatus(made.id, 'up');
    const { data: open } = (await world.api('GET', '/v0/alerts?state=open')).body;
    t.deepEqual(open, []);
  },
);

test.serial('a failure is down at once, with its exit code and output; a run has its length', async t => {
  const world = await openHeartbeats(t, database());
  const made = await world.make('report', { slug: 'report' });
  t.is((await world.signal(made.url, '/start')).statusCode, 200);
  t.is((await world.get(made.id)).status, 'pending', 'a start says nothing');
  t.truthy((await world.get(made.id)).heartbeat.running_since);
  world.pass(90_000);
  t.is((await world.signal(made.url, '/3', { method: 'POST', body: 'disk full' })).statusCode, 200);
  const shown = await world.get(made.id);
  t.is(shown.status, 'down');
  t.is(shown.heartbeat.running_since, null);
  const [failed, started] = await world.checks(made.id);
  t.like(failed, { kind: 'signal', status: 'err', output: 'disk full' });
  t.is(failed.error.message, 'exit code 3');
  t.like(failed.signal, { type: 'fail', exit_code: 3, source: 'hb' });
  t.true(failed.signal.run_seconds >= 90 && failed.signal.run_seconds < 120);
  t.is(started.signal.type, 'start');
  const reader = await world.api('POST', '/v0/tokens', { name: 'reader', scopes: ['monitors:read'] });
  const read = apiOf(world.replica.url, reader.body.token);
  t.is((await read('GET', `/v0/monitors/${made.id}/checks`)).body.data[0].output, null);
  t.is((await read('GET', `/v0/monitors/${made.id}`)).body.url, 'http://localhost:8080/hb/********');
  await world.signal(made.url, '/log', { method: 'POST', body: 'working' });
  t.is((await world.get(made.id)).status, 'down', 'a log says nothing');
  await world.signal(made.url, '/0');
  t.is((await world.get(made.id)).status, 'up');
});

test.serial('a run of another length than is asserted fails or warns; one without a start is not judged', async t => {
  const world = await openHeartbeats(t, database());
  const assertions = [
    { type: 'run_seconds', operator: 'lte', value: 300 },
    { type: 'run_seconds', operator: 'gte', value: 30, on_fail: 'warn' },
  ];
  const made = await world.make('export', {}, { interval_seconds: 3600, assertions });
  const run = async (ms: number) => {
    await world.signal(made.url, '/start');
    world.pass(ms);
    await world.signal(made.url);
    return (await world.checks(made.id))[0];
  };
  await world.signal(made.url);
  t.like((await world.checks(made.id))[0].assertions[0], { passed: null, skipped: 'no_start' });
  t.is((await world.get(made.id)).status, 'up');
  t.is((await run(60_000)).status, 'ok');
  const long = await run(400_000);
  t.like(long, { status: 'err', error: null, failure_source: 'target' });
  t.like(long.assertions[0], { type: 'run_seconds', passed: false, expected: 'run lte 300 s' });
  t.is((await world.get(made.id)).status, 'down');
  const { data: alerts } = (await world.api('GET', '/v0/alerts?state=open')).body;
  t.regex(alerts[0].reason.summary, /^expected run lte 300 s, got 4\d\d(\.\d+)? s$/);
  t.is((await world.api('GET', `/v0/alerts/${alerts[0].id}/explanation`)).status, 200);
  t.is((await run(10_000)).status, 'warn');
  t.is((await world.get(made.id)).status, 'degraded');
  t.is((await run(60_000)).status, 'ok');
  t.is((await world.get(made.id)).status, 'up');
  for (let times = 0; times < 4; times += 1) t.is((await run(400_000)).status, 'err');
  await world.signal(made.url, '/fail');
  t.like((await world.get(made.id)).heartbeat.advice, { kind: 'interval_too_long' }, 'too long a run is in time');
});

test.serial(
  'senders of Healthchecks and Uptime Kuma change the host alone; slugs go by the key of the project',
  async t => {
    const world = await openHeartbeats(t, database());
    const alias = randomUUID();
    const made = await world.make('old', { slug: 'nightly', aliases: [alias, 'pushToken1234'] });
    t.deepEqual(made.heartbeat.aliases, ['********', '********'], 'they are shown to nobody');
    for (const path of [`/ping/${alias}`, `/${alias}`, `/${alias.toUpperCase()}/start`, `/ping/${alias}/0`])
      t.is((await world.signal(`http://localhost:8080${path}`)).statusCode, 200, path);
    const push = await world.signal('http://localhost:8080/api/push/pushToken1234?status=up&msg=fine&ping=12.5');
    t.deepEqual(JSON.parse(push.body), { ok: true });
    const scraper = await world.api('POST', '/v0/tokens', { name: 'scraper', scopes: ['monitors:read'] });
    const headers = { authorization: `Bearer ${scraper.body.token}` };
    const metrics = await world.signal('http://localhost:8080/v0/metrics', '', { headers });
    const latencies = metrics.body.split('\n').filter(line => line.startsWith('upquorum_monitor_latency_seconds{'));
    t.deepEqual(latencies, [`upquorum_monitor_latency_seconds{monitor_id="${made.id}",region="heartbeat"} 0.0125`]);
    const [pushed] = await world.checks(made.id);
    t.like(pushed, { latency_ms: 12.5, output: 'fine' });
    t.is(pushed.signal.source, 'kuma');
    await world.signal('http://localhost:8080/api/push/pushToken1234?status=down');
    t.is((await world.get(made.id)).status, 'down');
    const unknown = await world.signal('http://localhost:8080/api/push/nobodyKnows99');
    t.is(unknown.statusCode, 404);
    t.false(JSON.parse(unknown.body).ok);
    const { body: key } = await world.api('GET', '/v0/signal-key');
    t.regex(key.signal_key, /^usk_[0-9A-Za-z]{22}$/);
    t.is((await world.signal(`${key.url}/nightly`)).statusCode, 200);
    t.is((await world.get(made.id)).status, 'up');
    t.is((await world.signal(`${key.url}/fresh`)).statusCode, 404);
    const both = await Promise.all([1, 2].map(() => world.signal(`${key.url}/fresh?create=1`)));
    t.deepEqual(both.map(({ statusCode }) => statusCode).sort(), [200, 201]);
    const { data: found } = (await world.api('GET', '/v0/monitors?kind=heartbeat&q=fresh')).body;
    t.is(found.length, 1);
    t.like(found[0], { name: 'fresh', status: 'up', interval_seconds: 86_400 });
    t.is(found[0].heartbeat.grace_seconds, 3600);
    t.deepEqual((await world.api('GET', '/v0/monitors?q=NIGHTLY')).body.data[0]?.id, made.id, 'by its slug');
    const again = await world.api('POST', '/v0/monitors', {
      kind: 'heartbeat',
      name: 'other',
      interval_seconds: 60,
      heartbeat: { aliases: [alias] },
    });
    t.deepEqual([again.status, again.body.code], [409, 'name_taken']);
    const rotated = await world.api('POST', '/v0/signal-key/rotate', { value: 'broughtAlongFromElsewhere' });
    t.is(rotated.body.signal_key, 'broughtAlongFromElsewhere');
    t.is((await world.signal('http://localhost:8080/ping/broughtAlongFromElsewhere/nightly')).statusCode, 200);
    t.is((await world.signal(`${key.url}/nightly`)).statusCode, 200, 'the one before works for a day');
  },
);

test.serial(
  'a secret is replaced while the one before works; a deleted one is unknown, and comes back with its address',
  async t => {
    const world = await openHeartbeats(t, database());
    const made = await world.make('turn', { post_only: true, slug: 'turn' });
    t.is((await world.signal(made.url)).statusCode, 405);
    const post = { method: 'POST' };
    t.is((await world.signal(made.url, '', post)).statusCode, 200);
    t.is((await world.signal(made.url, '?rid=nonsense', post)).statusCode, 400);
    const rotated = await world.api('POST', `/v0/monitors/${made.id}/rotate-secret`, { overlap_seconds: 0 });
    t.is(rotated.status, 200, JSON.stringify(rotated.body));
    t.not(rotated.body.url, made.url);
    t.is((await world.signal(made.url, '', post)).statusCode, 404);
    t.is((await world.signal(rotated.body.url, '', post)).statusCode, 200);
    await world.api('POST', `/v0/monitors/${made.id}/pause`);
    t.is((await world.signal(rotated.body.url, '/fail', post)).statusCode, 200, 'stored, without a vote');
    t.is((await world.get(made.id)).status, 'paused');
    await world.api('POST', `/v0/monitors/${made.id}/resume`);
    t.is((await world.get(made.id)).status, 'pending', 'the clock starts anew');
    t.is((await world.api('DELETE', `/v0/monitors/${made.id}`)).status, 204);
    t.is((await world.signal(rotated.body.url, '', post)).statusCode, 404);
    await world.make('second', { slug: 'turn' });
    const revived = await world.make('turn');
    t.is(revived.id, made.id);
    t.is(revived.url, rotated.body.url);
    for (const [path, body] of [
      [`/v0/monitors/${made.id}/check-now`, {}],
      ['/v0/monitors/test', { kind: 'heartbeat', interval_seconds: 60 }],
    ] as const) {
      const refused = await world.api('POST', path, body);
      t.is(refused.body.code, 'wrong_kind', path);
    }
  },
);

test.serial('what a heartbeat does not take is refused at its field', async t => {
  const world = await openHeartbeats(t, database());
  const post = async (body: object) => {
    const reply = await world.api('POST', '/v0/monitors', { kind: 'heartbeat', name: 'x', ...body });
    return (reply.body.errors ?? []).map(
      (error: { pointer: string; code: string }) => `${error.pointer} ${error.code}`,
    );
  };
  const cases: readonly (readonly [object, readonly string[]])[] = [
    [{}, ['/interval_seconds required']],
    [{ interval_seconds: 20 }, ['/interval_seconds out_of_range']],
    [{ interval_seconds: 60, heartbeat: { cron: '0 * * * *' } }, ['/interval_seconds not_allowed']],
    [{ heartbeat: { cron: '0 0 30 2 *' } }, ['/heartbeat/cron out_of_range']],
    [{ heartbeat: { cron: '@daily' } }, ['/heartbeat/cron format']],
    [{ interval_seconds: 60, url: 'https://example.com/' }, ['/url not_allowed']],
    [
      { interval_seconds: 60, regions: ['a'], quorum: 1, timeout_ms: 500 },
      ['/quorum not_allowed', '/regions not_allowed', '/timeout_ms not_allowed'],
    ],
    [
      { interval_seconds: 60, heartbeat: { timezone: 'Mars/Base', aliases: ['short'] } },
      ['/heartbeat/aliases/0 format', '/heartbeat/timezone format'],
    ],
    [{ interval_seconds: 60, heartbeat: { last_success_at: null } }, ['/heartbeat/last_success_at read_only']],
    [
      { interval_seconds: 60, assertions: [{ type: 'latency', operator: 'lt', value_ms: 5 }] },
      ['/assertions/0/type not_allowed'],
    ],
  ];
  for (const [body, errors] of cases) {
    const found = (await post(body)).filter((error: string) => !error.includes('unknown_reference'));
    t.deepEqual(found.sort(), errors, JSON.stringify(body));
  }
  const cron = await world.make('cron', { cron: '30 2 * * *', timezone: 'Europe/Berlin' }, {});
  t.is(cron.interval_seconds, 86_400);
  const patched = await world.api('PATCH', `/v0/monitors/${cron.id}`, { interval_seconds: 3600, heartbeat: null });
  t.is(patched.status, 200, JSON.stringify(patched.body));
  t.is(patched.body.interval_seconds, 3600);
  const back = await world.api('PATCH', `/v0/monitors/${cron.id}`, {
    heartbeat: { cron: '0 * * * *', max_run_seconds: 60 },
  });
  t.is(back.status, 200, JSON.stringify(back.body));
  await world.signal(cron.url, '/start');
  world.pass(2 * minuteMs);
  await world.untilStatus(cron.id, 'down');
  t.is((await world.checks(cron.id))[0].error.code, 'run_too_long');
});

test.serial('a job may be expected once a month or once a year, and its silence is seen', async t => {
  const world = await openHeartbeats(t, database());
  await withSql(
    database(),
    sql => sql.run`
      insert into front_attendance (id, started_at, renewed_at)
      values (${randomUUID()}, now() - interval '1 day', now() + interval '40 days')`,
  );
  const yearly = await world.make('taxes', { cron: '0 0 1 1 *' }, {});
  t.true(yearly.interval_seconds >= 365 * 86_400);
  t.is((await world.make('longest', {}, { interval_seconds: 31_622_400 })).interval_seconds, 31_622_400);
  const monthly = await world.make('bills', {}, { interval_seconds: 30 * 86_400 });
  await world.signal(monthly.url);
  const up = await world.get(monthly.id);
  t.is(Date.parse(up.heartbeat.expected_at) - Date.parse(up.heartbeat.last_success_at), 30 * 86_400_000);
  world.pass(30 * 1440 * minuteMs);
  t.is((await world.get(monthly.id)).status, 'up', 'the grace is not over');
  world.pass(61 * minuteMs);
  await world.untilStatus(monthly.id, 'down');
  t.is((await world.get(monthly.id)).status_since, up.heartbeat.deadline_at);
});

test.serial('signals by GET take no place of the bodies that an address may have open', async t => {
  const world = await openHeartbeats(t, database());
  const [jobs, other] = await Promise.all([world.make('jobs'), world.make('other')]);
  const { port } = new URL(world.replica.url);
  const { pathname } = new URL(jobs.url);
  const open = new Set<Socket>();
  let isOver = false;
  // One that is given up, because all of it takes long, is opened again.
  const keepOpen = () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    open.add(socket);
    socket.on('close', () => {
      open.delete(socket);
      if (!isOver) keepOpen();
    });
    socket.write(`POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf`);
    socket.resume();
  };
  for (let index = 0; index < 32; index++) keepOpen();
  t.teardown(() => {
    isOver = true;
    for (const socket of open) socket.destroy();
  });
  const refused = await until(
    // Sixty a minute are taken of one secret, however long the others need to arrive.
    () => setTimeout(1000).then(() => world.signal(other.url, '', { method: 'POST' })),
    ({ statusCode }) => statusCode === 429,
  );
  t.true(refused.body.includes('too many of your requests are open at once'), refused.body);
  const sent = await Promise.all(Array.from({ length: 20 }, () => world.signal(jobs.url)));
  t.deepEqual(new Set(sent.map(({ statusCode }) => statusCode)), new Set([200]));
  t.is((await world.signal(jobs.url, '', { method: 'HEAD' })).statusCode, 200);
});
