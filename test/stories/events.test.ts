import { randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { toTimestamp } from '#shared/clock.ts';
import { dayMs, minuteMs } from '#shared/duration.ts';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, startReplica, until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';

const database = useDatabase(test);
const weekMs = 7 * dayMs;

async function openEvents(t: ExecutionContext, databaseUrl: string) {
  const world = await openAlertingWorld(t, databaseUrl);
  const get = async (id: string) => (await world.api('GET', `/v0/monitors/${id}`)).body;
  const untilStatus = (id: string, wanted: string) =>
    until(
      () => get(id),
      ({ status }) => status === wanted,
    );
  const checks = async (id: string) => (await world.api('GET', `/v0/monitors/${id}/checks`)).body.data;
  /** Events of as many users, `agoMs` before now. */
  const send = async (name: string, count: number, agoMs: number, more: object = {}) => {
    const events = Array.from({ length: count }, (_, index) => ({
      name,
      external_user_id: `user ${index}`,
      timestamp: toTimestamp(world.clock.now() - agoMs),
      ...more,
    }));
    const { status, body } = await world.api('POST', '/v0/events', events);
    t.is(status, 202, JSON.stringify(body));
    t.is(body.accepted, count);
  };
  /** Time passes in which events were taken. */
  const pass = async (ms: number) => {
    await withSql(
      databaseUrl,
      sql => sql.run`
        insert into front_attendance (id, started_at, renewed_at)
        values (${randomUUID()}, ${toTimestamp(world.clock.now() - 20_000)}, ${toTimestamp(world.clock.now() + ms)})`,
    );
    world.pass(ms);
  };
  /** Time passes in which nobody took events. */
  const passAway = async (ms: number) => {
    await withSql(databaseUrl, async sql => {
      await sql.run`delete from front_attendance`;
      await sql.run`
        insert into front_attendance (id, started_at, renewed_at)
        values (${randomUUID()}, ${toTimestamp(world.clock.now() - dayMs)}, ${toTimestamp(world.clock.now())})`;
    });
    world.pass(ms);
  };
  return { ...world, get, untilStatus, checks, send, pass, passAway };
}

const settings = (own: object, value: number, more: object = {}) => ({
  name: 'orders',
  kind: 'events',
  events: { event: { name: 'order paid' }, window_seconds: 300, settle_seconds: 30, ...own },
  assertions: [{ type: 'measured', operator: 'gte', value }],
  ...more,
});

test.serial(
  'orders stop: down with an alert that says so, up again with the next; late ones change nothing',
  async t => {
    const world = await openEvents(t, database());
    const { made, api } = world;
    await world.send('order paid', 20, 3 * minuteMs);
    const monitor = await made('/v0/monitors', settings({}, 20));
    t.like(monitor, { kind: 'events', url: 'events://order%20paid', regions: [], quorum: 1, timeout_ms: 30_000 });
    t.like(monitor, { interval_seconds: 60, status: 'pending', unable_regions: [] });
    t.like(monitor.events, { measure: 'count', within_seconds: null, against: null, min_sample: 0 });
    const up = await world.untilStatus(monitor.id, 'up');
    t.like(up.votes[0], { region: 'events', vote: 'up' });
    const [good] = await world.checks(monitor.id);
    t.like(good, { kind: 'evaluated', status: 'ok', agent_id: null, latency_ms: null, error: null, attempt: 1 });
    t.deepEqual(good.measured, { value: 20, sample: 20, base: null });
    t.is(Date.parse(good.scheduled_at) % minuteMs, 0);

    await world.pass(6 * minuteMs);
    const down = await world.untilStatus(monitor.id, 'down');
    const [bad] = await world.checks(monitor.id);
    t.like(bad, { status: 'err', failure_source: 'target', measured: { value: 0, sample: 0, base: null } });
    t.is(down.status_since, bad.scheduled_at, 'the vote is as of the end of the window');
    const [alert, ...others] = (await api('GET', '/v0/alerts?state=open')).body.data;
    t.is(others.length, 0);
    t.like(alert, {
      title: 'orders is down',
      regions: ['events'],
      regions_failing: ['events'],
      started_at: bad.scheduled_at,
    });
    t.like(alert.reason, {
      summary: "0 'order paid' events in 5 min, expected at least 20",
      error_code: 'assertion:measured',
    });
    const { body: why } = await api('GET', `/v0/alerts/${alert.id}/explanation`);
    t.is(why.sentence, `Down since ${bad.scheduled_at}: 0 'order paid' events in 5 min, expected at least 20.`);
    t.like(why.votes[0], { region: 'events', vote: 'down', check: { measured: { value: 0, sample: 0, base: null } } });
    t.deepEqual(why.missing, []);
    const page = await made('/v0/status-pages', { name: 'p', slug: `p-${world.projectId.slice(-8).toLowerCase()}` });
    const incident = await api('POST', `/v0/alerts/${alert.id}/promote`, { status_page_id: page.id });
    t.is(incident.status, 201, JSON.stringify(incident.body));
    const drafted = JSON.stringify((await api('GET', `/v0/incidents/${incident.body.id}`)).body);
    t.regex(drafted, /fewer successful actions than usual/);
    t.notRegex(drafted, /order paid|at least/);
    // Failures are counted a moment later.
    const counted = /upquorum_monitor_failures_total\{[^}]*reason="assertion:measured"[^}]*\} 1/;
    const scrape = async () => String((await api('GET', '/v0/metrics')).body);
    const metrics = await until(scrape, text => counted.test(text));
    t.regex(metrics, new RegExp(`upquorum_monitor_measured\\{monitor_id="${monitor.id}",region="events"\\} 0\\n`));
    t.notRegex(metrics, /upquorum_monitor_latency_seconds\{/);

    await world.send('order paid', 25, Date.now() % minuteMs);
    await world.pass(2 * minuteMs);
    await world.untilStatus(monitor.id, 'up');
    const before = await world.checks(monitor.id);
    const alerts = (await api('GET', '/v0/alerts')).body;
    await world.send('order paid', 30, 7 * minuteMs);
    await world.send('order paid', 25, Date.now() % minuteMs);
    await world.pass(2 * minuteMs);
    await until(
      () => world.checks(monitor.id),
      ({ length }) => length > before.length,
    );
    t.deepEqual(before, (await world.checks(monitor.id)).slice(-before.length), 'late ones change no result');
    t.deepEqual((await api('GET', '/v0/alerts')).body, alerts, 'nor an alert');

    const tried = await api('POST', `/v0/monitors/${monitor.id}/backtest`, {
      changes: {
        assertions: [{ type: 'measured', operator: 'gte', value: 0 }],
        events: { ...monitor.events, min_sample: 0 },
      },
    });
    t.like(
      tried.body,
      { not_replayable: [], diff: { gone: [{ kind: 'down', started_at: alert.started_at }], new: [] } },
      JSON.stringify(tried.body),
    );
    const other = { ...monitor.events, window_seconds: 600 };
    const unlike = await api('POST', `/v0/monitors/${monitor.id}/backtest`, { changes: { events: other } });
    t.deepEqual(unlike.body.not_replayable, [{ pointer: '/events', reason: 'other_target' }]);
  },
);

test.serial('with few events at night, a deleted flow or after an absence there is no opinion', async t => {
  const databaseUrl = database();
  const world = await openEvents(t, databaseUrl);
  const { made, api } = world;
  await world.send('order paid', 20, 3 * minuteMs);
  const quiet = await made('/v0/monitors', settings({ min_sample: 21 }, 20, { name: 'quiet' }));
  t.like((await world.untilStatus(quiet.id, 'undetermined')).votes[0], { vote: 'unknown', reason: 'too_few' });
  const flow = await made('/v0/flows', { name: 'Checkout', steps: [{ event: 'cart' }, { event: 'order paid' }] });
  // Windows of flows end at each fifth minute.
  await world.pass(6 * minuteMs - (world.clock.now() % (5 * minuteMs)));
  await world.send('cart', 30, 3 * minuteMs);
  await world.send('order paid', 15, 3 * minuteMs - 1000);
  const flows = { event: null, flow_id: flow.id, within_seconds: 60, min_sample: 30 };
  const share = await made('/v0/monitors', settings(flows, 0.5, { name: 'share' }));
  t.like(share, { interval_seconds: 300, url: `events://${flow.id}`, events: { measure: 'conversion' } });
  await world.untilStatus(share.id, 'up');
  t.like((await world.checks(share.id))[0], { measured: { value: 0.5, sample: 30, base: null } });
  t.is((await api('DELETE', `/v0/flows/${flow.id}`)).status, 204);
  await world.pass(5 * minuteMs);
  const gone = await world.untilStatus(share.id, 'undetermined');
  t.like(gone.votes[0], { reason: 'not_kept' });
  t.like(gone.warnings, [{ pointer: '/events/flow_id', code: 'flow_deleted' }]);
  t.is((await api('GET', '/v0/alerts')).body.data.length, 0);

  await api('PATCH', `/v0/monitors/${quiet.id}`, { events: { ...quiet.events, min_sample: 0 } });
  await world.send('order paid', 20, Date.now() % minuteMs);
  await world.pass(2 * minuteMs);
  await world.untilStatus(quiet.id, 'up');
  await world.passAway(10 * minuteMs);
  await until(
    async () => (await world.checks(quiet.id))[0].failure_source,
    source => source === 'not_kept',
  );
  t.is((await world.untilStatus(quiet.id, 'undetermined')).votes[0].reason, 'not_kept');
  t.is((await api('GET', '/v0/alerts')).body.data.length, 0);
});

test.serial('compared with the week before; two replicas judge each instant once', async t => {
  const databaseUrl = database();
  const world = await openEvents(t, databaseUrl);
  const { made, api } = world;
  const second = await startReplica(databaseUrl, {}, world.clock);
  t.teardown(() => second.stop());
  await world.send('order paid', 40, 3 * minuteMs);
  await world.pass(weekMs);
  await world.send('order paid', 10, 3 * minuteMs);
  const body = settings({ against: 'week_before' }, 0.5);
  const tested = await api('POST', '/v0/monitors/test', { ...body, name: undefined });
  t.is(tested.status, 200, JSON.stringify(tested.body));
  t.like(tested.body.data, [{ region: 'events', agent_id: null, response: null, problem: null }]);
  t.like(tested.body.data[0].result, { status: 'err', measured: { value: 0.25, sample: 40, base: 40 } });
  const monitor = await made('/v0/monitors', body);
  t.is(monitor.events.min_sample, 20);
  await world.untilStatus(monitor.id, 'down');
  t.like((await world.checks(monitor.id))[0].measured, { value: 0.25, base: 40 });
  for (let minute = 0; minute < 3; minute++) {
    const [newest] = await world.checks(monitor.id);
    await world.pass(minuteMs);
    await until(
      async () => (await world.checks(monitor.id))[0].scheduled_at,
      at => at > newest.scheduled_at,
    );
  }
  const times = (await world.checks(monitor.id)).map(({ scheduled_at }: { scheduled_at: string }) => scheduled_at);
  t.is(new Set(times).size, times.length);
  t.is((await api('GET', '/v0/alerts?state=open')).body.data.length, 1);
});

test.serial('what does not fit is refused where it stands', async t => {
  const world = await openEvents(t, database());
  const { api, made } = world;
  const flow = await made('/v0/flows', { name: 'f', window_seconds: 1800, steps: [{ event: 'a' }, { event: 'b' }] });
  const ofFlow = { event: null, flow_id: flow.id, within_seconds: 600 };
  const refused: [what: object, pointer: string, code: string][] = [
    [settings({ event: null }, 1), '/events', 'required'],
    [settings({ flow_id: flow.id }, 1), '/events', 'required'],
    [settings({}, 1, { events: undefined }), '/events', 'required'],
    [settings({ measure: 'conversion' }, 1), '/events/measure', 'not_allowed'],
    [settings({ ...ofFlow, measure: 'users' }, 1), '/events/measure', 'not_allowed'],
    [settings({ within_seconds: 60 }, 1), '/events/within_seconds', 'not_allowed'],
    [settings({ ...ofFlow, within_seconds: 1801 }, 1), '/events/within_seconds', 'out_of_range'],
    [settings({ ...ofFlow, flow_id: 'flw_none' }, 1), '/events/flow_id', 'unknown_reference'],
    [settings({ window_seconds: 90 }, 1), '/events/window_seconds', 'out_of_range'],
    [settings({ window_seconds: 86_460 }, 1), '/events/window_seconds', 'out_of_range'],
    [settings({ settle_seconds: 29 }, 1), '/events/settle_seconds', 'out_of_range'],
    [settings({ min_sample: 1_000_001 }, 1), '/events/min_sample', 'out_of_range'],
    [settings({}, 1, { interval_seconds: 90 }), '/interval_seconds', 'out_of_range'],
    [settings({}, 1, { interval_seconds: 30 }), '/interval_seconds', 'out_of_range'],
    [settings(ofFlow, 1, { interval_seconds: 60 }), '/interval_seconds', 'out_of_range'],
    [settings({}, 1, { assertions: [] }), '/assertions', 'required'],
    [
      settings({}, 1, { assertions: [{ type: 'status', operator: 'eq', value: 200 }] }),
      '/assertions/0/type',
      'not_allowed',
    ],
    [settings({}, 1, { url: 'https://example.org/' }), '/url', 'not_allowed'],
    [settings({}, 1, { regions: ['eu'] }), '/regions', 'not_allowed'],
    [settings({}, 1, { quorum: 1 }), '/quorum', 'not_allowed'],
    [settings({}, 1, { timeout_ms: 5000 }), '/timeout_ms', 'not_allowed'],
    [settings({}, 1, { egress: { ip_family: 'ipv4' } }), '/egress', 'not_allowed'],
    [settings({}, 1, { method: 'POST' }), '/method', 'not_allowed'],
  ];
  for (const [body, pointer, code] of refused) {
    const reply = await api('POST', '/v0/monitors', body);
    t.is(reply.status, 422, `${pointer} ${JSON.stringify(reply.body)}`);
    const found = reply.body.errors.some(
      (error: Record<string, string>) => error.pointer === pointer && error.code === code,
    );
    t.true(found, `${pointer} ${code}: ${JSON.stringify(reply.body.errors)}`);
  }
  const monitor = await made('/v0/monitors', settings({}, 1));
  t.is((await api('POST', `/v0/monitors/${monitor.id}/check-now`)).body.code, 'wrong_kind');
  const { token } = await made('/v0/tokens', { name: 'w', scopes: ['monitors:read', 'monitors:write'] });
  const writer = apiOf(world.replica.url, token);
  const denied = await writer('POST', '/v0/monitors', settings({}, 1, { name: 'other' }));
  t.is(denied.body.code, 'insufficient_scope', JSON.stringify(denied.body));
  t.is((await writer('PATCH', `/v0/monitors/${monitor.id}`, { events: monitor.events })).status, 403);
  t.is((await writer('PATCH', `/v0/monitors/${monitor.id}`, { name: 'renamed' })).status, 200);
  const same = await api('PATCH', `/v0/monitors/${monitor.id}`, { name: 'orders', events: monitor.events });
  t.is(same.body.config_version, monitor.config_version);
  const { quotas } = (await api('GET', '/v0/project')).body;
  const quota = quotas.find(({ resource }: { resource: string }) => resource === 'event_monitors');
  t.like(quota, { used: 1 }, JSON.stringify(quota));
});
