import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test.serial('a PATCH changes what it names and nothing else', async t => {
  const { post, patch, regions } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ timeout_ms: 900, quorum: 1, method: 'POST', body: 'b', headers: { a: 'v' } })).body;
  const changes: [string, unknown][] = [
    ['name', 'other'],
    ['url', 'http://other.example/'],
    ['method', 'PUT'],
    ['interval_seconds', 30],
    ['timeout_ms', 1000],
    ['regions', regions.slice(0, 2)],
    ['quorum', 2],
    ['assertions', [{ type: 'status', operator: 'eq', value: 204 }]],
    ['headers', { b: 'w' }],
    ['body', 'c'],
    ['follow_redirects', false],
    ['enabled', false],
  ];
  for (const [field, value] of changes) {
    const fresh = (await post({ timeout_ms: 900, quorum: 1, method: 'POST', body: 'b', headers: { a: 'v' } })).body;
    const answer = await patch(fresh.id, { [field]: value });
    t.is(answer.status, 200, field);
    const volatile = {
      id: '',
      created_at: '',
      updated_at: '',
      status: '',
      status_since: '',
      config_version: 0,
      votes: [],
      unable_regions: [],
    };
    t.deepEqual({ ...answer.body, ...volatile }, { ...made, ...volatile, [field]: value }, field);
    t.is(answer.body.config_version, field === 'name' ? 1 : 2, field);
  }
});

test.serial('arrays and objects are replaced as a whole', async t => {
  const { post, patch } = await openMonitorWorld(t, databaseOf());
  const { id } = (
    await post({
      headers: { a: '1', b: '2' },
      assertions: [
        { type: 'status', operator: 'eq', value: 200 },
        { type: 'body_contains', value: 'a' },
      ],
      alert_policy: { severity: 'p1', slack_channel: '#ops', escalate_after_minutes: 5 },
    })
  ).body;
  const { body } = await patch(id, {
    headers: { c: '3' },
    assertions: [{ type: 'body_contains', value: 'b' }],
    alert_policy: { escalate_after_minutes: 7 },
  });
  t.deepEqual(body.headers, { c: '3' });
  t.deepEqual(body.assertions, [{ type: 'body_contains', operator: 'contains', value: 'b', case_insensitive: false }]);
  t.deepEqual(body.alert_policy, { severity: 'p2', slack_channel: null, escalate_after_minutes: 7 });
  t.deepEqual((await patch(id, { headers: {}, assertions: [] })).body.headers, {});
});

test.serial('timeout and quorum are derived from interval and regions unless they are set', async t => {
  const { post, patch, regions } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post()).body;
  const shown = async (changes: unknown) => {
    const { timeout_ms, quorum } = (await patch(id, changes)).body;
    return [timeout_ms, quorum];
  };
  t.deepEqual(await shown({ interval_seconds: 10 }), [10_000, 2]);
  t.deepEqual(await shown({ regions: regions.slice(0, 1) }), [10_000, 1]);
  t.deepEqual(await shown({ timeout_ms: 5000, quorum: 1 }), [5000, 1]);
  t.deepEqual(await shown({ interval_seconds: 60, regions }), [5000, 1]);
  t.deepEqual(await shown({ timeout_ms: null, quorum: null }), [30_000, 2]);
  t.deepEqual(await shown({ interval_seconds: 20 }), [20_000, 2]);
});

test.serial(
  'an explicit timeout or quorum that no longer fits is 422 at its own pointer, and nothing is changed',
  async t => {
    const { api, post, patch, regions } = await openMonitorWorld(t, databaseOf());
    const before = (await post({ timeout_ms: 20_000, quorum: 3 })).body;
    const cases: [Record<string, unknown>, string[]][] = [
      [{ interval_seconds: 19, name: 'changed' }, ['/timeout_ms out_of_range']],
      [{ regions: regions.slice(0, 2), name: 'changed' }, ['/quorum out_of_range']],
      [{ interval_seconds: 10, regions: regions.slice(0, 1) }, ['/quorum out_of_range', '/timeout_ms out_of_range']],
      [
        { interval_seconds: 10, regions: ['nowhere'] },
        ['/quorum out_of_range', '/regions/0 unknown_reference', '/timeout_ms out_of_range'],
      ],
      [{ body: 'a' }, ['/body not_allowed']],
    ];
    for (const [changes, faults] of cases) {
      const answer = await patch(before.id, changes);
      t.is(answer.status, 422);
      t.deepEqual(faultsOf(answer), faults);
      t.deepEqual((await api('GET', `/v0/monitors/${before.id}`)).body, before);
    }
    t.is((await patch(before.id, { interval_seconds: 20 })).status, 200);
    t.is(
      (await patch(before.id, { interval_seconds: 10, timeout_ms: null, regions: regions.slice(0, 1), quorum: 1 }))
        .status,
      200,
    );
  },
);

test.serial(
  'a method without a body is refused while there is one, and accepted together with its removal',
  async t => {
    const { post, patch } = await openMonitorWorld(t, databaseOf());
    const { id } = (await post({ method: 'POST', body: 'a' })).body;
    for (const method of ['GET', 'HEAD']) t.deepEqual(faultsOf(await patch(id, { method })), ['/body not_allowed']);
    const answer = await patch(id, { method: 'GET', body: null });
    t.deepEqual([answer.status, answer.body.method, answer.body.body], [200, 'GET', null]);
  },
);

test.serial('a change that changes nothing writes nothing, pause and resume too', async t => {
  const { api, post, patch, body } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ alert_policy: null })).body;
  for (const changes of [{}, body, { alert_policy: null }, { timeout_ms: null, enabled: true }]) {
    const answer = await patch(made.id, changes);
    t.is(answer.status, 200);
    t.deepEqual(answer.body, made);
  }
  t.deepEqual((await api('POST', `/v0/monitors/${made.id}/resume`)).body, made);
  const paused = await api('POST', `/v0/monitors/${made.id}/pause`);
  t.deepEqual(
    [paused.status, paused.body.enabled, paused.body.status, paused.body.config_version],
    [200, false, 'paused', 2],
  );
  const again = await api('POST', `/v0/monitors/${made.id}/pause`);
  t.deepEqual([again.status, again.body], [200, paused.body]);
  const resumed = await patch(made.id, { enabled: true });
  t.deepEqual(
    [resumed.status, resumed.body.enabled, resumed.body.status, resumed.body.config_version],
    [200, true, 'pending', 3],
  );
});

test.serial('concurrent changes are all applied', async t => {
  const { api, post, patch, regions } = await openMonitorWorld(t, databaseOf());
  const { id } = (await post()).body;
  const changes = [
    { name: 'n' },
    { url: 'https://n.example/' },
    { interval_seconds: 90 },
    { timeout_ms: 700 },
    { quorum: 3 },
    { headers: { n: 'n' } },
    { follow_redirects: false },
  ];
  const answers = await Promise.all(changes.map(change => patch(id, change)));
  t.true(answers.every(answer => answer.status === 200));
  const { body } = await api('GET', `/v0/monitors/${id}`);
  for (const change of changes) t.like(body, change);
  t.is(body.config_version, 1 + changes.length - 1);
  t.deepEqual(body.regions, regions);
});
