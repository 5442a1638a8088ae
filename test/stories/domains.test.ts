import test from 'ava';
import { openAlertingWorld } from '#test/support/alerting-world.ts';
import { apiOf, createTenant, startReplica, until } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { type Behaviour, startTarget } from '#test/support/target.ts';

const database = useDatabase(test);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A registry of .com and .org, and the list that names it. `answers` has what it says of a name: else 404. */
async function openRegistry(t: Parameters<typeof openAlertingWorld>[0], databaseUrl: string) {
  const answers = new Map<string, object | number>();
  const registry = await startTarget();
  t.teardown(() => registry[Symbol.asyncDispose]());
  const behaviour: Behaviour = (request, response) => {
    const name = /domain\/(.*)$/.exec(request.url ?? '')?.[1];
    const services = [[['com', 'org'], [`${registry.url}rdap/`]]];
    const said = name === undefined ? { version: '1.0', services } : (answers.get(name) ?? 404);
    response.statusCode = typeof said === 'number' ? said : 200;
    response.end(JSON.stringify(typeof said === 'number' ? { errorCode: said } : said));
  };
  registry.behaviour = behaviour;
  const changes = {
    rdapBootstrapUrl: `${registry.url}dns.json`,
    outboundPolicy: { base: 'loopback', allow: [], deny: [] },
  } as const;
  const world = await openAlertingWorld(t, databaseUrl, changes);
  const say = (name: string, endsAt: number, status: readonly string[] = ['active']) =>
    answers.set(name, {
      objectClassName: 'domain',
      ldhName: name,
      status,
      events: [{ eventAction: 'expiration', eventDate: new Date(endsAt).toISOString() }],
    });
  const get = async (id: string) => (await world.api('GET', `/v0/monitors/${id}`)).body;
  const untilStatus = (id: string, wanted: string) =>
    until(
      () => get(id),
      ({ status }) => status === wanted,
    );
  const checks = async (id: string) => (await world.api('GET', `/v0/monitors/${id}/checks`)).body.data;
  const asked = (name: string) => registry.requests.filter(({ url }) => url === `/rdap/domain/${name}`).length;
  const watch = (name: string, url: string) => world.made('/v0/monitors', { name, url });
  return { ...world, answers, say, get, untilStatus, checks, asked, watch };
}

test.serial('a domain is up while it is registered, and down once two lookups agree that it is not', async t => {
  const world = await openRegistry(t, database());
  const endsAt = Math.floor(world.clock.now() / 1000) * 1000 + 400 * dayMs;
  world.say('shop.com', endsAt);
  const made = await world.watch('shop', 'domain://www.shop.com');
  t.like(made, { kind: 'domain', status: 'pending', regions: [], quorum: 1, interval_seconds: 86_400 });
  t.like(made, { timeout_ms: 15_000, domain: { name: 'shop.com', server: null } });
  const up = await world.untilStatus(made.id, 'up');
  t.like(up.domain, { name: 'shop.com', statuses: ['active'], ends_at: new Date(endsAt).toISOString() });
  t.like(up.votes[0], { region: 'registry', vote: 'up' });
  t.like((await world.checks(made.id))[0], { kind: 'lookup', status: 'ok', agent_id: null, domain: up.domain });
  const { body: metrics } = await world.api('GET', '/v0/metrics');
  if (typeof metrics === 'string') t.regex(metrics, /monitor_domain_expiry_timestamp_seconds/);

  world.answers.set('shop.com', 404);
  world.pass(2 * dayMs);
  const [first] = await until(
    () => world.checks(made.id),
    found => found.length === 2,
  );
  t.like(first, { status: 'err', attempt: 1, error: { code: 'not_registered' } });
  t.is((await world.get(made.id)).status, 'up', 'one lookup is not enough');
  world.pass(hourMs + 1000);
  await world.untilStatus(made.id, 'down');
  const { data: alerts } = (await world.api('GET', '/v0/alerts?state=open')).body;
  t.is(alerts.length, 1);
  t.like(alerts[0], { title: 'shop is down', regions: ['registry'] });
  t.is(alerts[0].reason.error_code, 'not_registered');
  const { body: why } = await world.api('GET', `/v0/alerts/${alerts[0].id}/explanation`);
  t.regex(why.sentence, /the registry does not know the domain/);

  world.say('shop.com', endsAt);
  world.pass(2 * dayMs);
  await world.untilStatus(made.id, 'up');
  t.deepEqual((await world.api('GET', '/v0/alerts?state=open')).body.data, []);
});

test.serial('one lookup serves all monitors of a name in all projects; a later one takes what is known', async t => {
  const databaseUrl = database();
  const world = await openRegistry(t, databaseUrl);
  world.say('many.org', world.clock.now() + 300 * dayMs);
  const ids: { api: ReturnType<typeof apiOf>; id: string }[] = [];
  for (let project = 0; project < 5; project++) {
    const api = apiOf(world.replica.url, (await createTenant(databaseUrl)).token);
    for (let index = 0; index < 10; index++) {
      const { status, body } = await api('POST', '/v0/monitors', { name: `m${index}`, url: 'domain://many.org' });
      t.is(status, 201);
      ids.push({ api, id: body.id });
    }
  }
  for (const { api, id } of ids)
    await until(
      async () => (await api('GET', `/v0/monitors/${id}`)).body.status,
      status => status === 'up',
    );
  const late = await world.watch('late', 'domain://www.many.org');
  t.like(late.domain, { name: 'many.org', statuses: ['active'] });
  await world.untilStatus(late.id, 'up');
  t.is(world.asked('many.org'), 1);
});

test.serial('what no registry answers for, or none that answers, has no status', async t => {
  const world = await openRegistry(t, database());
  world.answers.set('busy.com', 429);
  const busy = await world.watch('busy', 'domain://busy.com');
  const shown = await world.untilStatus(busy.id, 'undetermined');
  t.like(shown.votes[0], { vote: 'unknown', reason: 'lookup_failed' });
  const other = await world.watch('other', 'domain://example.de');
  t.like(other.warnings[0], { pointer: '/url', code: 'no_registry' });
  t.like((await world.untilStatus(other.id, 'undetermined')).votes[0], { vote: 'unknown', reason: 'no_registry' });
  t.is(world.asked('example.de'), 0);
});

test.serial('a domain that ends soon has one alert of its own, which lookups alone raise and resolve', async t => {
  const world = await openRegistry(t, database());
  const endsAt = Math.floor(world.clock.now() / 1000) * 1000 + 32 * dayMs;
  world.say('soon.com', endsAt);
  const made = await world.watch('soon', 'domain://soon.com');
  t.is(made.alert_rules.certificate, null);
  t.deepEqual(made.alert_rules.domain.thresholds, [
    { days_left: 30, severity: 'p3' },
    { days_left: 7, severity: 'p2' },
  ]);
  await world.untilStatus(made.id, 'up');
  const alerts = async () => (await world.api('GET', '/v0/alerts')).body.data;
  const lookUpAfter = async (ms: number) => {
    const before = (await world.checks(made.id)).length;
    world.pass(ms);
    await until(
      () => world.checks(made.id),
      found => found.length > before,
    );
    return alerts();
  };
  t.deepEqual(await alerts(), []);

  const [opened, ...others] = await lookUpAfter(3 * dayMs);
  t.deepEqual(others, []);
  t.like(opened, { kind: 'domain', severity: 'p3', state: 'open', regions_failing: ['registry'] });
  t.is(opened.title, `Domain of soon expires on ${new Date(endsAt).toISOString().slice(0, 10)}`);
  t.is(opened.reason.summary, `the domain soon.com expires at ${new Date(endsAt).toISOString()}`);
  const { body: why } = await world.api('GET', `/v0/alerts/${opened.id}/explanation`);
  t.regex(why.sentence, /^The domain soon\.com expires at .*at or under the threshold of 30 days\.$/);
  t.like(why.domain, { name: 'soon.com', registrar: null, ends_at: new Date(endsAt).toISOString() });
  t.deepEqual([why.votes, why.certificates, why.missing], [[], [], []]);
  t.like(why.domain.check, { kind: 'lookup', status: 'ok' });

  world.answers.set('soon.com', 429);
  t.like(await lookUpAfter(24 * dayMs), [{ id: opened.id, severity: 'p3', state: 'open' }], 'a failure says nothing');
  world.say('soon.com', endsAt);
  t.like(await lookUpAfter(hourMs + 1000), [{ id: opened.id, severity: 'p2', state: 'open' }]);
  t.is((await world.get(made.id)).status, 'up');

  const { body: tried } = await world.api('POST', `/v0/monitors/${made.id}/backtest`, {
    changes: { alert_rules: { domain: { thresholds: [{ days_left: 10 }] } }, url: 'domain://other.com' },
    from: new Date(Date.parse(opened.opened_at) - dayMs).toISOString(),
    partial: true,
  });
  t.deepEqual(tried.not_replayable, [{ pointer: '/url', reason: 'other_target' }]);
  t.like(tried.before, { alerts: [{ kind: 'domain', opened_at: opened.opened_at, resolved_at: null }] });
  t.like(tried.diff, { new: [], gone: [], moved: [{ before: { kind: 'domain' } }] });
  t.true(tried.diff.moved[0].opened_ms > 20 * dayMs, 'a lookup 23 days later is the first one at ten days');

  world.say('soon.com', endsAt + 365 * dayMs);
  t.like(await lookUpAfter(2 * dayMs), [{ id: opened.id, state: 'resolved' }]);
});

test.serial('rules about domains are of their kind alone; where nobody asks registries, a warning says so', async t => {
  const replica = await startReplica(database(), { rdapBootstrapUrl: null });
  t.teardown(() => replica.stop());
  const api = apiOf(replica.url, (await createTenant(database())).token);
  const make = (body: object) => api('POST', '/v0/monitors', { name: `m${Math.random()}`, ...body });
  const rules = (domain: object) => ({ alert_rules: { domain } });
  const target = { url: 'https://a.example/', regions: [] };
  const { body: other } = await make({ ...target, url: 'https://a.example/', ...rules({ enabled: false }) });
  t.true(
    other.errors.some(
      ({ pointer, code }: { pointer: string; code: string }) =>
        pointer === '/alert_rules/domain' && code === 'not_allowed',
    ),
    JSON.stringify(other),
  );
  const days = (...list: number[]) => rules({ thresholds: list.map(days_left => ({ days_left })) });
  const cases: [body: object, pointer: string, code: string][] = [
    [days(), '/alert_rules/domain/thresholds', 'too_short'],
    [days(6, 5, 4, 3, 2, 1), '/alert_rules/domain/thresholds', 'too_long'],
    [days(366), '/alert_rules/domain/thresholds/0/days_left', 'out_of_range'],
    [days(0.5), '/alert_rules/domain/thresholds/0/days_left', 'out_of_range'],
    [days(7, 7), '/alert_rules/domain/thresholds/1/days_left', 'out_of_range'],
    [{ alert_rules: { certificate: { enabled: false } } }, '/alert_rules/certificate', 'not_allowed'],
  ];
  for (const [body, pointer, code] of cases) {
    const refused = await make({ url: 'domain://a.com', ...body });
    t.is(refused.status, 422, JSON.stringify(body));
    t.like(refused.body.errors[0], { pointer, code }, JSON.stringify(body));
  }
  const made = await make({ url: 'domain://a.com', ...days(60, 1) });
  t.is(made.status, 201);
  t.like(made.body.alert_rules.domain, {
    enabled: true,
    thresholds: [{ days_left: 60, severity: 'p3' }, { days_left: 1 }],
  });
  t.like(made.body.warnings, [{ pointer: '/url', code: 'no_registry' }]);
  t.regex(made.body.warnings[0].detail, /RDAP_BOOTSTRAP_URL=off/);
});

test.serial('fields that agents need are refused, as are names that nobody can register', async t => {
  const world = await openRegistry(t, database());
  const refused = async (body: object, pointer: string, code: string) => {
    const { status, body: problem } = await world.api('POST', '/v0/monitors', { name: 'x', ...body });
    t.is(status, 422, JSON.stringify(body));
    t.like(problem.errors[0], { pointer, code }, JSON.stringify(body));
  };
  for (const url of [
    'domain://com',
    'domain://co.uk',
    'domain://192.0.2.1',
    'domain://a.com/x',
    'domain://a.com:1',
    'domain://',
  ])
    await refused({ url }, '/url', 'format');
  await refused({ url: 'domain://a.com', regions: ['eu'] }, '/regions', 'not_allowed');
  await refused({ url: 'domain://a.com', interval_seconds: 60 }, '/interval_seconds', 'not_allowed');
  const made = await world.watch('a', 'domain://a.com');
  const { status, body } = await world.api('POST', `/v0/monitors/${made.id}/check-now`, {});
  t.is(status, 409);
  t.is(body.code, 'wrong_kind');
  const moved = await world.api('PATCH', `/v0/monitors/${made.id}`, { url: 'domain://b.org' });
  t.is(moved.body.domain?.name, 'b.org', JSON.stringify(moved.body));
});
