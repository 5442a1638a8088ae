import { randomUUID } from 'node:crypto';
import test from 'ava';
import { useDatabase } from '#test/support/database.ts';
import { openMonitorWorld } from '#test/support/monitor-world.ts';
import { faultsOf } from '#test/support/problem.ts';

const databaseOf = useDatabase(test);

test.serial('a PATCH that is only tried says what it would do, and writes nothing', async t => {
  const { api, post } = await openMonitorWorld(t, databaseOf());
  const made = (await post({ headers: { 'x-key': 'one' }, labels: { env: 'prod' } })).body;
  const before = (await api('GET', '/v0/audit')).body;
  const cases: [changes: object, changed: string[], bumps: boolean, dropsVotes: boolean][] = [
    [{}, [], false, false],
    [{ name: made.name, labels: { env: 'prod' } }, [], false, false],
    [{ name: 'other', labels: {} }, ['name', 'labels'], false, false],
    [{ interval_seconds: 90 }, ['interval_seconds'], true, false],
    [{ quorum: 1 }, ['quorum'], true, false],
    [{ headers: { 'x-key': '********' } }, [], false, false],
    [{ headers: { 'x-key': 'two' }, enabled: false }, ['headers', 'enabled'], true, true],
  ];
  for (const [changes, changed, bumps, drops_votes] of cases) {
    const { status, body } = await api('PATCH', `/v0/monitors/${made.id}?dry_run=true`, changes);
    t.is(status, 200);
    const { monitor, backtest, ...rest } = body;
    t.deepEqual(rest, { changed, bumps, drops_votes });
    t.is(backtest === null, !changed.includes('quorum'), 'only a change that can be replayed has a back-test');
    t.is(monitor.config_version, bumps ? 2 : 1, JSON.stringify(changes));
    t.deepEqual((await api('GET', `/v0/monitors/${made.id}`)).body, made);
  }
  t.deepEqual((await api('GET', '/v0/audit')).body, before);
  const wrong = await api('PATCH', `/v0/monitors/${made.id}?dry_run=true`, { quorum: 9 });
  t.deepEqual([wrong.status, faultsOf(wrong)], [422, ['/quorum out_of_range']]);
  t.is((await api('PATCH', '/v0/monitors/mon_none?dry_run=true', {})).status, 404);
  t.is((await api('PATCH', `/v0/monitors/${made.id}?dry_run=yes`, {})).status, 400);
  t.is((await api('PATCH', `/v0/monitors/${made.id}?dry_run=false`, { quorum: 1 })).body.quorum, 1);
});

test.serial('a POST that is only tried creates nothing, and is never replayed as the act', async t => {
  const { api, body } = await openMonitorWorld(t, databaseOf());
  const headers = { 'idempotency-key': randomUUID() };
  const tried = await api('POST', '/v0/monitors?dry_run=true', body, headers);
  t.is(tried.status, 200);
  t.like(tried.body, { changed: [], bumps: true, drops_votes: true, backtest: null });
  t.like(tried.body.monitor, { name: 'm', status: 'pending', config_version: 1 });
  t.deepEqual((await api('GET', '/v0/monitors')).body.data, []);
  t.is((await api('POST', '/v0/monitors', body, headers)).body.code, 'idempotency_key_reused');
  const act = { 'idempotency-key': randomUUID() };
  t.is((await api('POST', '/v0/monitors', body, act)).status, 201);
  t.is((await api('POST', '/v0/monitors?dry_run=true', body, act)).body.code, 'idempotency_key_reused');
  t.is((await api('POST', '/v0/monitors?dry_run=true', { ...body, regions: ['nowhere'] })).status, 422);
});
