import test, { type ExecutionContext } from 'ava';
import { until, withSql } from '#test/support/control-plane.ts';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';

const databaseOf = useDatabase(test);

type Fields = Record<string, unknown>;

const env = { HOOK: 'https://hooks.example.com/very-secret', API_TOKEN: 'Bearer very-secret', NAME: 'API' };
const readScopes = ['monitors:read', 'channels:read', 'routes:read', 'status-pages:read', 'components:read'];

async function openWorld(t: ExecutionContext) {
  const world = await openMonitorWorld(t, databaseOf());
  const regions = world.regions.slice(0, 3).join(', ');
  const defaults = `{ monitors: { interval_seconds: 60, regions: [${regions}] } }`;
  const head = `upquorum: 1\nmanager: git-ops\ndefaults: ${defaults}\n`;
  const text = `${head}
channels:
  - key: ops
    name: Ops
    type: http
    config: { url: { $env: HOOK }, headers: { X-Key: literal-key }, template: '{}' }
monitors:
  - key: api
    name: { $env: NAME }
    url: "https://api.example.com/"
    headers: { Authorization: { $env: API_TOKEN }, Accept: text/html }
    body: null
  - { key: plain, name: Plain, url: "https://example.com/" }
routes:
  - { key: all, name: All, steps: [{ after_minutes: 0, channels: [ops] }] }
`;
  const planned = await world.api('POST', '/v0/config/plan', { document: text, env });
  t.is(planned.status, 200, JSON.stringify(planned.body));
  const applied = await world.api('POST', '/v0/config/apply', { plan_id: planned.body.id });
  t.is(applied.status, 200, JSON.stringify(applied.body));
  const reader = await world.apiWith(readScopes);
  const read = async (document: string, options: Fields = {}) => {
    const reply = await reader('POST', '/v0/config/plan', { document, backtest: 'none', ...options });
    t.is(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  return { ...world, text, head, reader, read, planned: planned.body };
}

test.serial('who may only read plans without any secret, and learns none by guessing', async t => {
  const { api, text, reader, read } = await openWorld(t);
  const plan = await read(text);
  t.like(plan, { counts: { unchanged: 4, update: 0 }, actions: [], applicable: false, reasons: ['uncompared'] });
  const guesses = [env, { HOOK: 'https://hooks.example.com/wrong', API_TOKEN: 'Bearer wrong', NAME: 'Other' }];
  const [right, wrong] = [await read(text, { env: guesses[0] }), await read(text, { env: guesses[1] })];
  const comparable = ({ counts, actions, reasons, warnings }: Fields) => ({ counts, actions, reasons, warnings });
  t.deepEqual(comparable(right), comparable(wrong), 'a right guess and a wrong one look the same');
  const literal = (value: string) =>
    text
      .replace('{ $env: API_TOKEN }', `"${value}"`)
      .replace('Authorization', 'AUTHORIZATION')
      .replace('literal-key', value === env.API_TOKEN ? 'literal-key' : 'other-key');
  const [known, unknown] = [await read(literal(env.API_TOKEN)), await read(literal('Bearer wrong'))];
  t.deepEqual(comparable(known), comparable(unknown));
  const changed = await read(text.replace('https://api.example.com/', 'https://api.example.com/new'));
  t.like(changed.counts, { update: 1, unchanged: 3 });
  t.like(changed.actions[0], { key: 'api', uncompared: true, bumps: true, drops_votes: true });
  t.deepEqual(
    changed.actions[0].changes.map(({ pointer }: Fields) => pointer),
    ['/url'],
  );
  const removed = await read(text.replace('headers: { Authorization: { $env: API_TOKEN }, Accept: text/html }', ''));
  t.deepEqual(
    removed.actions[0].changes,
    [{ pointer: '/headers', before: '********', after: '********' }],
    'what the reader sees hidden stays hidden',
  );
  t.false(JSON.stringify([plan, right, wrong, known, changed, removed]).includes('very-secret'));
  t.is((await reader('POST', '/v0/config/apply', { plan_id: plan.id })).body.code, 'plan_stale');
  const applied = await api('POST', '/v0/config/apply', { plan_id: plan.id });
  t.like(applied.body, { code: 'plan_stale', changed: [] });
  t.is((await reader('GET', `/v0/config/plans/${plan.id}`)).status, 200);
});

test.serial('a stranger’s new channels and monitors are planned without their values', async t => {
  const { text, read, reader } = await openWorld(t);
  const more = `
  - { key: page, name: Page, type: pagerduty, config: { routing_key: { $env: ROUTING_KEY } } }
monitors:
  - { key: other, name: Other, url: { $env: OTHER_URL } }`;
  const plan = await read(text.replace('\nmonitors:', more).replace('channels: [ops]', 'channels: [ops, page]'));
  t.like(plan.counts, { create: 2, update: 1, unchanged: 3, conflict: 0 }, JSON.stringify(plan));
  t.like(
    plan.actions.map(({ key, action, uncompared }: Fields) => ({ key, action, uncompared })),
    [
      { key: 'page', action: 'create', uncompared: true },
      { key: 'other', action: 'create', uncompared: true },
      { key: 'all', action: 'update', uncompared: false },
    ],
  );
  const wrong = text.replace('https://api.example.com/', 'ftp://example.com/');
  t.like((await reader('POST', '/v0/config/plan', { document: wrong })).body.errors[0], { pointer: '/monitors/0/url' });
});

test.serial('a plan says who changed what since the last apply, and which secrets stand in clear', async t => {
  const { api, text, planned } = await openWorld(t);
  t.deepEqual(
    planned.warnings.map(({ code, pointer, line }: Fields) => [code, pointer, line]),
    [['literal_secret', '/channels/0/config/headers/X-Key', 9]],
  );
  const { data } = (await api('GET', '/v0/monitors')).body;
  const plain = data.find(({ key }: Fields) => key === 'plain');
  await api('PATCH', `/v0/monitors/${plain.id}`, { interval_seconds: 30 });
  const [route] = (await api('GET', '/v0/routes')).body.data;
  await api('DELETE', `/v0/routes/${route.id}`);
  const plan = (await api('POST', '/v0/config/plan', { document: text, env })).body;
  const entries = (await api('GET', '/v0/audit?limit=10')).body.data;
  const [deletion, change] = entries;
  const { token: _, ...actor } = deletion.actor;
  t.like(plan.actions, [
    { key: 'plain', action: 'update', drift: { audit_id: change.id, at: change.at, via: 'api' } },
    { key: 'all', action: 'create', drift: { audit_id: deletion.id, actor } },
  ]);
  const applied = await api('POST', '/v0/config/apply', { plan_id: plan.id });
  t.is(applied.status, 200);
  await api('PATCH', `/v0/monitors/${plain.id}`, { interval_seconds: 90 });
  const asked = (await api('POST', '/v0/config/plan', { document: text.replace('name: Plain', 'name: Plane'), env }))
    .body;
  t.is(asked.actions.length, 1);
  t.is(asked.actions[0].drift.actor.id, change.actor.id);
});

test.serial('a third plan of a project at a time is refused, and tries again later', async t => {
  const { head, reader, projectId } = await openWorld(t);
  const places = [1, 2].map(place => `configuration plan ${place} ${projectId}`);
  await withSql(databaseOf(), async sql => {
    for (const place of places) await sql.run`select pg_advisory_lock(hashtextextended(${place}, 0))`;
    const refused = await reader('POST', '/v0/config/plan', { document: head });
    t.like(refused, { status: 429, body: { code: 'rate_limited' } });
  });
  const status = async () => (await reader('POST', '/v0/config/plan', { document: head, backtest: 'none' })).status;
  await until(status, given => given === 200);
});

test.serial(
  'a reader tries out neither secrets of the project nor aliases of others, and ends no plan of others',
  async t => {
    const { api, apiWith, head, reader, regions, planned } = await openWorld(t);
    const open = (await api('POST', '/v0/config/plan', { document: `${head}monitors: []\n` })).body;
    const other = await openMonitorWorld(t, databaseOf());
    const beat = { name: 'job', kind: 'heartbeat', interval_seconds: 60, heartbeat: { aliases: ['taken-alias'] } };
    t.is((await other.api('POST', '/v0/monitors', beat)).status, 422, 'aliases have no hyphen');
    const alias = `taken${other.projectId.slice(-10)}`;
    const taken = await other.api('POST', '/v0/monitors', { ...beat, heartbeat: { aliases: [alias] } });
    t.is(taken.status, 201, JSON.stringify(taken.body));
    const guess = async (item: string) => {
      const { status, body } = await reader('POST', '/v0/config/plan', { document: `${head}monitors:\n  - ${item}\n` });
      return [status, body.counts, body.reasons, body.errors?.map(({ code }: Fields) => code)];
    };
    const job = (name: string) => `{ key: job, name: Job, kind: heartbeat, heartbeat: { aliases: [${name}] } }`;
    t.deepEqual(await guess(job(alias)), await guess(job(alias.replace('taken', 'other'))));
    await api('POST', '/v0/secrets', { name: 'KEY', value: 'very-secret' });
    const long = (pad: number) =>
      `{ key: long, name: Long, url: "https://a.example/", headers: { X: "${'a'.repeat(pad)}{{secret.KEY}}" } }`;
    t.deepEqual(await guess(long(8181)), await guess(long(8179)), 'no length of a value');
    const certificate = { certificate: null, private_key: '-----BEGIN X-----\n{{secret.KEY}}\n-----END X-----\n' };
    const body = { name: 'm', url: 'https://a.example/', interval_seconds: 60, regions: regions.slice(0, 3) };
    const pair = await api('POST', '/v0/monitors', { ...body, egress: { client_certificate: certificate } });
    t.like(pair.body.errors?.[0], { pointer: '/egress/client_certificate/private_key', code: 'not_allowed' });
    const stranger = await apiWith(['events:write']);
    t.is((await stranger('POST', '/v0/config/plan', { document: head })).body.code, 'insufficient_scope');
    for (let index = 0; index < 21; index++)
      await reader('POST', '/v0/config/plan', { document: head, backtest: 'none' });
    t.is((await api('GET', `/v0/config/plans/${open.id}`)).status, 200);
    t.is((await api('GET', `/v0/config/plans/${planned.id}`)).status, 200);
  },
);
