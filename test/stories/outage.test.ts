import test from 'ava';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { answer, ok } from '#test/support/target.ts';
import { openWorld } from '#test/support/world.ts';

const database = useDatabase(test);

type Check = { scheduled_at: string };

test('an outage opens one alert with its reason, and resolves when the target recovers', async t => {
  const world = await openWorld(t, database(), ['eu', 'us', 'ap']);
  const id = await world.monitor();
  world.target.behaviour = answer(503, 'busy');
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert, ...others] = await world.alerts();
  t.deepEqual(others, []);
  t.like(alert, {
    state: 'open',
    monitor_id: id,
    severity: 'p2',
    title: 'story is down',
    reason: { actual: '503', expected: 'status in ["200-299"]' },
  } as never);
  const down = (await world.api('GET', `/v0/monitors/${id}`)).body;
  t.is(down.status_since, alert?.started_at);
  t.true(down.votes.filter((vote: { vote: string }) => vote.vote === 'down').length >= 2);

  world.target.behaviour = ok('{"ok":true}');
  await until(
    () => world.status(id),
    value => value === 'up',
  );
  const [resolved] = await world.alerts();
  t.is(resolved?.state, 'resolved');
  t.is(resolved?.resolved_at, (await world.api('GET', `/v0/monitors/${id}`)).body.status_since);

  const history = (await world.api('GET', `/v0/monitors/${id}/checks?limit=200`)).body.data as {
    region: string;
    status: string;
    timings: { first_byte_ms: number } | null;
  }[];
  t.deepEqual([...new Set(history.map(result => result.region))].sort(), ['ap', 'eu', 'us']);
  t.true(history.filter(result => result.status === 'ok').every(result => (result.timings?.first_byte_ms ?? -1) >= 0));
  const failed = (await world.api('GET', `/v0/monitors/${id}/checks?status=err&region=eu`)).body.data;
  t.like(failed[0], { region: 'eu', status: 'err', status_code: 503, failure_source: 'target' });

  for (const granularity of ['day', 'hour']) {
    const uptime = (await world.api('GET', `/v0/monitors/${id}/uptime?granularity=${granularity}`)).body;
    const seconds = uptime.data.reduce((sum: number, bucket: { down_seconds: number }) => sum + bucket.down_seconds, 0);
    const lasted = (Date.parse(resolved?.resolved_at ?? '') - Date.parse(resolved?.started_at ?? '')) / 1000;
    t.is(Math.round(seconds * 1000), Math.round(lasted * 1000), granularity);
  }
});

test('a region that may not reach the address casts no vote, and says so; the others decide', async t => {
  const world = await openWorld(t, database(), ['below-a', 'below-b', 'below-c'], {
    env: { 'below-a': { ADDRESS_POLICY: 'public' } },
  });
  const id = await world.monitor();
  const votes = async () =>
    ((await world.api('GET', `/v0/monitors/${id}`)).body.votes as { vote: string; reason: string | null }[]).map(
      ({ vote, reason }) => reason ?? vote,
    );
  await until(votes, value => value.join() === 'blocked_address,up,up');
  t.is(await world.status(id), 'up');
  t.deepEqual(await world.alerts(), []);
  const [blocked] = (await world.api('GET', `/v0/monitors/${id}/checks?region=below-a`)).body.data;
  t.is(blocked.error.code, 'blocked_address');
});

test('when regions go silent the monitor is undetermined: never down, never up', async t => {
  const world = await openWorld(t, database(), ['silent-a', 'silent-b', 'silent-c']);
  const id = await world.monitor();
  await world.agents['silent-a']?.stop();
  await world.agents['silent-b']?.stop();
  await until(
    () => world.status(id),
    value => value === 'undetermined',
  );
  t.deepEqual(await world.alerts(), []);
  const verdicts = await withSql(
    database(),
    sql => sql.rows<{ verdict: string }>`select verdict from verdict_changes where monitor_id = ${id} order by since`,
  );
  t.deepEqual(
    verdicts.map(row => row.verdict),
    ['pending', 'up', 'undetermined'],
  );
  const hours = (await world.api('GET', `/v0/monitors/${id}/uptime?granularity=hour`)).body.data as {
    uptime: number;
    down_seconds: number;
  }[];
  t.true(hours.every(hour => hour.uptime === 1 && hour.down_seconds === 0));
});

test('a paused monitor is not checked, opens nothing and loses no uptime; resumed it is checked at once', async t => {
  const world = await openWorld(t, database(), ['pause-a', 'pause-b', 'pause-c']);
  const id = await world.monitor();
  const running = await world.monitor({ name: 'running', url: `${world.target.url}running` });
  t.is((await world.api('POST', `/v0/monitors/${id}/pause`)).body.status, 'paused');
  t.is((await world.api('POST', `/v0/monitors/${id}/pause`)).status, 200);
  world.target.behaviour = (request, response) =>
    request.url === '/running' ? ok('{"ok":true}')(request, response) : answer(500)(request, response);
  await until(
    async () => Object.values(world.agents).map(agent => agent.counts().assignments),
    counts => counts.every(count => count === 1),
  );
  const requestsOfPaused = () => world.target.requests.filter(request => request.url === '/').length;
  const requestsBefore = requestsOfPaused();
  const pausedAt = Date.now();
  // Two slots of a monitor with the same interval: in between, each region has passed a slot of the paused one.
  for (const region of world.regions)
    await until(
      async () => (await world.api('GET', `/v0/monitors/${running}/checks?region=${region}`)).body.data as Check[],
      checks => checks.filter(check => Date.parse(check.scheduled_at) > pausedAt).length >= 2,
    );
  t.is(requestsOfPaused(), requestsBefore);
  t.deepEqual(await world.alerts(), []);
  // At once, not at its next slot.
  await world.api('PATCH', `/v0/monitors/${id}`, { interval_seconds: 86_400 });
  t.is((await world.api('POST', `/v0/monitors/${id}/resume`)).body.status, 'pending');
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  t.is((await world.alerts()).length, 1);
});

test('a deleted monitor comes back by its name with its history, and its alert is resolved', async t => {
  const world = await openWorld(t, database(), ['back-a']);
  const id = await world.monitor({ name: 'comes back' });
  world.target.behaviour = answer(500);
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  t.is((await world.api('DELETE', `/v0/monitors/${id}`)).status, 204);
  t.is((await world.alerts())[0]?.state, 'resolved');
  t.is((await world.api('GET', `/v0/monitors/${id}`)).status, 404);
  const stored = (await world.api('GET', `/v0/monitors/${id}/checks`)).body.data.length;
  t.true(stored > 0);
  world.target.behaviour = ok('{"ok":true}');
  t.is(await world.monitor({ name: 'comes back' }), id);
  t.true((await world.api('GET', `/v0/monitors/${id}/checks?limit=200`)).body.data.length > stored);
});

test('assertions of every type are evaluated in the region and shown with the expected value', async t => {
  const world = await openWorld(t, database(), ['assert-a']);
  world.target.behaviour = ok('{"status":"ok","items":[{"id":1},{"id":2}]}', { 'x-build': '42' });
  const assertions = [
    { type: 'status', operator: 'in', value: [204, '200-201'] },
    { type: 'body_contains', value: 'STATUS', case_insensitive: true },
    { type: 'header', name: 'X-Build', operator: 'matches', value: '^4\\d$' },
    { type: 'json_path', path: '$.items[?@.id==2].id', operator: 'eq', value: 2 },
    { type: 'latency_p95', operator: 'lt', value_ms: 5000 },
  ];
  const id = await world.monitor({ assertions });
  const [result] = (await world.api('GET', `/v0/monitors/${id}/checks?status=ok`)).body.data;
  t.deepEqual(
    result.assertions.map((outcome: { passed: boolean | null }) => outcome.passed),
    [true, true, true, true, null],
  );
  world.target.behaviour = ok('{"status":"ok","items":[{"id":1}]}', { 'x-build': '42' });
  await until(
    () => world.status(id),
    value => value === 'down',
  );
  const [alert] = await world.alerts();
  t.like((alert as unknown as { reason: object }).reason, {
    summary: 'expected $.items[?@.id==2].id eq 2, got nothing',
  });
});

test('a redirect to a forbidden address is refused', async t => {
  const world = await openWorld(t, database(), ['redirect-a']);
  const id = await world.monitor();
  world.target.behaviour = (_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
  await until(
    () => world.status(id),
    value => value === 'undetermined',
  );
  t.deepEqual(await world.alerts(), [], 'our own refusal is no outage');
  const [result] = (await world.api('GET', `/v0/monitors/${id}/checks?status=err`)).body.data;
  t.is(result.error.code, 'blocked_address');
});
