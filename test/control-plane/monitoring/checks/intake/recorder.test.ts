import test, { type ExecutionContext } from 'ava';
import type pg from 'pg';
import { AskedChecks } from '#control-plane/monitoring/checks/intake/asked-checks.ts';
import { ExpiringSet } from '#control-plane/monitoring/checks/intake/expiring-set.ts';
import { createRecorder } from '#control-plane/monitoring/checks/intake/recorder.ts';
import { VersionBook } from '#control-plane/monitoring/checks/intake/version-book.ts';
import { TemplateDictionary } from '#control-plane/monitoring/checks/storage/template-dictionary.ts';
import { StateCache } from '#control-plane/monitoring/monitors/state/state-cache.ts';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { newId } from '#shared/ids.ts';
import { createLog } from '#shared/log.ts';
import { useDatabase } from '#test/support/database.ts';
import { goodResult } from '#test/support/fake-agent.ts';
import { patientPools } from '#test/support/patient-pools.ts';

const databaseOf = useDatabase(test);
const log = createLog({ name: 'test', level: 'silent' });
const sender = { agentId: 'agt_1', region: 'recorder-a', isPrivate: false };

function openRecorder(t: ExecutionContext, wrap = (pool: pg.Pool) => pool, said = log) {
  const metrics = createMetrics();
  const pools = patientPools(databaseOf());
  t.teardown(() => pools.end());
  const recorder = createRecorder({
    pool: wrap(pools.ingest),
    series: {
      ensure: async () => {},
      ensureAhead: async () => {},
      dropBefore: async () => [],
      compress: async () => [],
      forget: () => {},
    },
    hooks: {
      arrived: async (_sql, _states, accepted) => accepted,
      recorded: async () => ({ confirmations: [], written: [] }),
    },
    confirm: async () => {},
    versions: new VersionBook(),
    templates: new TemplateDictionary(),
    repeating: new ExpiringSet(60_000),
    states: new StateCache(),
    asked: new AskedChecks(),
    clock: { now: Date.now },
    log: said,
    metrics,
  });
  return { recorder, metrics, pool: pools.ingest };
}

const result = (changes: Record<string, unknown> = {}) => ({
  ...blank,
  ...goodResult(newId('mon'), Date.now()),
  ...changes,
});
const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve));

const blank = {
  seq: 1,
  config_version: 1,
  kind: 'scheduled',
  attempt: 1,
  status: 'ok',
  latency_ms: 5,
  timings: null,
  status_code: 200,
  error: null,
  failure_source: null,
  assertions: [],
  remote_ip: null,
  bytes: 0,
  truncated: false,
  tls: null,
};

test('malformed results are refused at their own index, and the others by their own reasons', async t => {
  const { recorder } = openRecorder(t);
  const results = [null, result(), { ...result(), status: 'fine' }, 'text', result(), []];
  t.deepEqual(await recorder.recordReported(sender, results), [
    'malformed',
    'unknown_monitor',
    'malformed',
    'malformed',
    'unknown_monitor',
    'malformed',
  ]);
});

test('malformed results are counted, and their agent is named once a minute', async t => {
  const lines: { msg: string; agent: string; results: number }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const said = createLog({ name: 'test', level: 'warn', destination });
  const { recorder, metrics } = openRecorder(t, undefined, said);
  await recorder.recordReported(sender, [{}, 5]);
  await recorder.recordReported(sender, [null]);
  const { values } = await metrics.results.get();
  t.is(values.find(({ labels }) => labels.outcome === 'malformed')?.value, 3);
  t.is(lines.length, 1);
  t.like(lines[0], { agent: 'agt_1', region: 'recorder-a', results: 2 });
});

test('an agent whose results the database rejects does not fill the log', async t => {
  const messages: string[] = [];
  const destination = { write: (line: string) => void messages.push(JSON.parse(line).msg) };
  const said = createLog({ name: 'test', level: 'error', destination });
  const query = () => Promise.reject(Object.assign(new Error('out of range'), { code: '22003' }));
  const { recorder } = openRecorder(t, () => ({ query }) as never, said);
  const monitorId = newId('mon');
  const refusals = await recorder.recordReported(
    sender,
    Array.from({ length: 16 }, () => result({ monitor_id: monitorId })),
  );
  t.deepEqual(new Set(refusals), new Set(['malformed']));
  // One of the common lane, and one of the lane apart.
  t.deepEqual(messages, ['results could not be stored', 'results could not be stored']);
});

test('results that are all malformed cost no statement, and none cost none', async t => {
  const { recorder, pool } = openRecorder(t);
  t.deepEqual(await recorder.recordReported(sender, [{}, 5]), ['malformed', 'malformed']);
  t.deepEqual(await recorder.recordReported(sender, []), []);
  t.is(pool.totalCount, 0);
});

test('results of a monitor are never in two commits at once, those of several monitors are', async t => {
  const running: { end(): void }[] = [];
  const { recorder } = openRecorder(
    t,
    () => ({ query: () => new Promise(resolve => running.push({ end: () => resolve({ rows: [] }) })) }) as never,
  );
  const monitorId = newId('mon');
  const record = (id: string) => recorder.recordReported(sender, [result({ monitor_id: id })]);
  const same = [record(monitorId), record(monitorId), record(monitorId)];
  await nextTurn();
  t.is(running.length, 1);
  const others = Array.from({ length: 40 }, () => record(newId('mon')));
  await nextTurn();
  t.true(running.length > 1);
  for (let ended = 0; ended < running.length; ended++) {
    running[ended]?.end();
    await nextTurn();
  }
  t.deepEqual(new Set((await Promise.all([...same, ...others])).flat()), new Set(['unknown_monitor']));
});

test('after stop results are refused with an error: they are still in the agents’ spools', async t => {
  const { recorder } = openRecorder(t);
  await recorder.stop(1000);
  await t.throwsAsync(recorder.recordReported(sender, [result()]), { message: /stopping/ });
  t.deepEqual(await recorder.recordReported(sender, [{}]), ['malformed']);
});
