import test from 'ava';
import fc from 'fast-check';
import { CpuShares } from '#agent/lanes/cpu-shares.ts';
import { AddressRounds } from '#agent/probe/addresses/rounds.ts';
import type { ProbeOutcome } from '#agent/probe/attempt.ts';
import { TokenCache } from '#agent/probe/auth/token-cache.ts';
import { type Attempt, check, needsSecondAttempt, statusOf, toResult } from '#agent/probe/check.ts';
import type { TlsFacts } from '#agent/probe/handshake.ts';
import { SecretIndexes } from '#agent/probe/secret-indexes.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { QueryNotRun, type SelectNodes, selectValues } from '#shared/assertions/json-path.ts';
import { type CheckStatus, wireResultSchema } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import { FairPool } from '#shared/fairness/fair-pool.ts';
import { newId } from '#shared/ids.ts';
import { makeAssignment } from '../../support/gateway.ts';
import { probeTools } from '../../support/probe.ts';
import { makeResult } from '../../support/results.ts';
import { answer, ok, startTarget } from '../../support/target.ts';

const outcomeOf = (passed: boolean | null): AssertionOutcome => ({
  index: 0,
  type: 'status',
  passed,
  expected: 'status eq 200',
  actual: '200',
});

const statusCases: [failed: boolean, passed: (boolean | null)[], status: CheckStatus][] = [
  [false, [], 'ok'],
  [false, [true, true], 'ok'],
  [false, [true, false], 'err'],
  [false, [null], 'ok'],
  [true, [], 'err'],
  [true, [true], 'err'],
  [false, [false], 'err'],
];
for (const [failed, passed, status] of statusCases)
  test(`failed ${failed}, assertions ${JSON.stringify(passed)}: ${status}`, t => {
    t.is(statusOf(failed, passed.map(outcomeOf)), status);
  });

const attempt: Attempt = { kind: 'scheduled', scheduledAt: 1_000_000, attempt: 1 };
const monitor = { monitor_id: newId('mon'), config_version: 7 };
const times = { startedAt: 1_000_010, completedAt: 1_000_120, delayedMs: null };
const response = { statusCode: 204, headers: new Map(), bodyText: '', truncated: false };
const answered: ProbeOutcome = {
  response,
  statusCode: 204,
  error: null,
  failureSource: null,
  latencyMs: 12.34567,
  timings: { dns_ms: 1, connect_ms: 2, tls_ms: null, first_byte_ms: 3, download_ms: 4 },
  phase: 'answer',
  host: 'target.test:443',
  remoteIp: '192.0.2.1',
  bytes: 42,
  truncated: true,
  tls: null,
  facts: null,
  warnings: [],
};
const refused: ProbeOutcome = {
  ...answered,
  response: null,
  error: { code: 'connect_refused', message: 'connection refused' },
  failureSource: 'target',
};

test('warnings are part of a result only if there are any', t => {
  t.false('warnings' in toResult(monitor, attempt, times, answered, []));
  const warned = toResult(monitor, attempt, times, { ...answered, warnings: ['line_ending'] }, []);
  t.deepEqual(warned.warnings, ['line_ending']);
});

test('a certificate that was refused is no certificate of the connection', t => {
  const facts = {
    validFromMs: 0,
    validToMs: 86_400_000,
    issuer: 'CN=i',
    subject: 'CN=s',
    fingerprint: 'ab'.repeat(32),
  };
  const refusedTls = { protocol: 'TLSv1.3', alpn: 'h2', verified: false, ...facts } as const;
  const result = toResult(
    monitor,
    attempt,
    times,
    { ...refused, refusedTls, way: { host: 'b.test', earlier: [] } },
    [],
  );
  t.is(result.tls, null);
  t.like(result.refused_tls, { verified: false, alpn: 'h2', subject: 'CN=s', host: 'b.test' });
  t.true(wireResultSchema.safeParse({ seq: 1, ...result }).success);
  t.false('refused_tls' in toResult(monitor, attempt, times, refused, []));
});

test('a response becomes a result with its status code, phases, address and size', t => {
  t.like(toResult(monitor, attempt, times, answered, [outcomeOf(true)]), {
    ...monitor,
    kind: 'scheduled',
    attempt: 1,
    scheduled_at: 1_000_000,
    started_at: 1_000_010,
    completed_at: 1_000_120,
    status: 'ok',
    latency_ms: 12.346,
    timings: answered.timings,
    status_code: 204,
    error: null,
    failure_source: null,
    remote_ip: '192.0.2.1',
    bytes: 42,
    truncated: true,
    tls: null,
  });
});

const shownError = { code: 'connect_refused', message: 'connection refused', phase: 'answer', host: 'target.test:443' };

test('an error has no latency, and keeps its source and the status code that was seen', t => {
  const expected = { status: 'err', latency_ms: null, status_code: 204, error: shownError };
  t.like(toResult(monitor, attempt, times, refused, []), { ...expected, failure_source: 'target' });
  const byProbe: ProbeOutcome = { ...refused, failureSource: 'probe' };
  t.like(toResult(monitor, attempt, times, byProbe, []), { ...expected, failure_source: 'probe' });
});

test('a failed assertion is the fault of the target, with latency and status code', t => {
  const result = toResult(monitor, attempt, times, answered, [outcomeOf(true), outcomeOf(false)]);
  t.like(result, { status: 'err', failure_source: 'target', latency_ms: 12.346, status_code: 204, error: null });
});

const certificate: TlsFacts = {
  protocol: 'TLSv1.3',
  validFromMs: times.completedAt - 30 * dayMs,
  validToMs: times.completedAt,
  issuer: 'CN=authority, O=Example',
  subject: 'CN=localhost',
  fingerprint: 'ab'.repeat(32),
};

for (const [validForDays, daysLeft] of [
  [60, 60],
  [14, 14],
  [13.5, 13],
  [0.5, 0],
  [-0.5, -1],
] as const)
  test(`a certificate valid for ${validForDays} more days has ${daysLeft} days left, and the check is ok`, t => {
    const tls = { ...certificate, validToMs: times.completedAt + validForDays * dayMs };
    const result = toResult(monitor, attempt, times, { ...answered, tls }, []);
    t.is(result.status, 'ok', 'the control plane decides on what is left');
    t.deepEqual(result.tls, {
      protocol: 'TLSv1.3',
      days_left: daysLeft,
      valid_to: new Date(tls.validToMs).toISOString(),
      valid_from: new Date(tls.validFromMs).toISOString(),
      issuer: 'CN=authority, O=Example',
      subject: 'CN=localhost',
      fingerprint_sha256: 'ab'.repeat(32),
    });
  });

test('every result conforms to the protocol', t => {
  const assertions = fc.array(fc.constantFrom(true, false, null).map(outcomeOf), { maxLength: 50 });
  fc.assert(
    fc.property(
      fc.constantFrom(answered, refused),
      assertions,
      fc.double({ min: 0, max: 60_000, noNaN: true }),
      fc.option(fc.integer({ min: -400, max: 4000 })),
      (outcome, outcomes, latencyMs, days) => {
        const tls = days === null ? null : { ...certificate, validToMs: times.completedAt + days * dayMs };
        const result = toResult(monitor, attempt, times, { ...outcome, latencyMs, tls }, outcomes);
        t.deepEqual(wireResultSchema.parse({ seq: 1, ...result }), { seq: 1, ...result });
        t.is(result.failure_source === null, result.status !== 'err');
      },
    ),
  );
});

for (const [changes, expected] of [
  [{ status: 'err', failure_source: 'target', attempt: 1 }, true],
  [{ status: 'err', failure_source: 'resolver', attempt: 1 }, true],
  [{ status: 'err', failure_source: 'probe', attempt: 1 }, false],
  [{ status: 'err', failure_source: 'target', attempt: 2 }, false],
  [{ status: 'warn', attempt: 1 }, false],
  [{ status: 'ok', attempt: 1 }, false],
] as const)
  test(`${JSON.stringify(changes)} ${expected ? 'needs' : 'needs no'} second attempt`, t => {
    t.is(needsSecondAttempt(makeResult(changes)), expected);
  });

/** Checks a target with a clock that reads the given instants. */
async function checkWith(
  changes: Parameters<typeof makeAssignment>[0],
  instants: number[] = [1000, 1100],
  select: SelectNodes = async (path, { value }) => selectValues(path, value),
  cpu = new CpuShares(() => 1),
) {
  const clock = { now: () => instants.shift() ?? 0 };
  const selectFor = () => select;
  const bodies = new FairPool(2_000_000, () => 1);
  const secrets = new SecretIndexes(() => 1);
  const tools = {
    ...probeTools(),
    clock,
    selectFor,
    decideFor: null,
    bodies,
    secrets,
    cpu,
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
  };
  return await check(makeAssignment({ timeout_ms: 20_000, ...changes }), attempt, tools);
}

test('a check reads its start and end from the clock, and never ends before it started', async t => {
  await using target = await startTarget();
  t.like(await checkWith({ url: target.url }, [1000, 1100]), { started_at: 1000, completed_at: 1100 });
  t.like(await checkWith({ url: target.url }, [1000, 400]), { started_at: 1000, completed_at: 1000 });
});

test('a check without assertions demands a 2xx status', async t => {
  await using target = await startTarget(answer(404));
  const result = await checkWith({ url: target.url });
  t.like(result, { status: 'err', status_code: 404, failure_source: 'target', error: null });
  t.like(result.assertions, { length: 1, 0: { type: 'status', passed: false, actual: '404' } });
});

test('the body is decoded only for an assertion that reads it, and counted in any case', async t => {
  await using target = await startTarget(ok('{"status":"up"}'));
  const status = await checkWith({
    url: target.url,
    assertions: [{ type: 'status', operator: 'eq', value: 200 }],
  });
  t.like(status, { status: 'ok', bytes: 15 });
  const body = await checkWith({
    url: target.url,
    assertions: [
      { type: 'body_contains', operator: 'contains', value: 'up', case_insensitive: false },
      { type: 'json_path', path: '$.status', operator: 'eq', value: 'up' },
    ],
  });
  t.like(body, { status: 'ok', bytes: 15 });
  t.deepEqual(
    body.assertions.map(({ passed }) => passed),
    [true, true],
  );
});

test('without a response no assertion is evaluated', async t => {
  const result = await checkWith({
    url: 'http://127.0.0.1:1/',
    assertions: [{ type: 'status', operator: 'eq', value: 200 }],
  });
  t.like(result, { status: 'err', error: { code: 'connect_refused' }, assertions: [] });
});

test('an assertion that the agent has no time for is its own fault, unless another one failed', async t => {
  await using target = await startTarget();
  const busy: SelectNodes = () => Promise.reject(new QueryNotRun('busy'));
  const search = { type: 'json_path', path: '$..a', operator: 'exists' } as const;
  const result = await checkWith({ url: target.url, assertions: [search] }, [1000, 1100], busy);
  t.like(result, { status: 'err', failure_source: 'probe', error: null, status_code: 200 });
  t.like(result.assertions, { 0: { passed: null, skipped: 'agent_busy' } });
  t.false(needsSecondAttempt(result));
  const failing = { type: 'status', operator: 'eq', value: 500 } as const;
  const failed = await checkWith({ url: target.url, assertions: [search, failing] }, [1000, 1100], busy);
  t.like(failed, { status: 'err', failure_source: 'target' });
});

test('a check during which the agent stood still says so, whatever its status', async t => {
  await using target = await startTarget((_, response) => {
    // The target is in this process, and answers once the agent stood still.
    for (const untilMs = performance.now() + 80; performance.now() < untilMs; );
    response.end('ok');
  });
  for (const [value, status] of [
    [200, 'ok'],
    [500, 'err'],
  ] as const) {
    const result = await checkWith({ url: target.url, assertions: [{ type: 'status', operator: 'eq', value }] });
    t.is(result.status, status);
    t.true((result.delayed_ms ?? 0) >= 74, `${result.delayed_ms}`);
    t.true(wireResultSchema.safeParse({ seq: 1, ...result }).success);
  }
  t.false('delayed_ms' in toResult(monitor, attempt, times, answered, []));
});

test('a body that finds no memory is a fault of the probe, and memory is returned after each check', async t => {
  await using target = await startTarget(ok('x'.repeat(900_000)));
  const assertions = [{ type: 'body_contains', operator: 'contains', value: 'x', case_insensitive: false }] as const;
  for (let round = 0; round < 4; round++)
    t.is((await checkWith({ url: target.url, assertions: [...assertions] })).status, 'ok');
  const bodies = new FairPool(500_000, () => 1);
  const rest = {
    selectFor: () => async () => [],
    decideFor: null,
    secrets: new SecretIndexes(() => 1),
    cpu: new CpuShares(() => 1),
    tokens: new TokenCache(),
    rounds: new AddressRounds(),
  };
  const tools = { ...probeTools(), ...rest, clock: { now: () => 1 }, bodies };
  const result = await check(
    makeAssignment({ url: target.url, timeout_ms: 20_000, assertions: [...assertions] }),
    attempt,
    tools,
  );
  t.like(result, { status: 'err', failure_source: 'probe', error: { code: 'body_too_large' } });
  t.is(bodies.used, 0);
});

test('what a lane spends on assertions is counted, and once it is short only the status is examined', async t => {
  await using target = await startTarget(ok('x'.repeat(100_000)));
  const cpu = new CpuShares(() => 2);
  const body = { type: 'body_contains', operator: 'contains', value: 'X', case_insensitive: true } as const;
  const status = { type: 'status', operator: 'eq', value: 200 } as const;
  const run = () => checkWith({ url: target.url, assertions: [status, body] }, [1000, 1100], undefined, cpu);
  t.is((await run()).status, 'ok');
  cpu.of('').spend(6_000_000);
  const result = await run();
  t.like(result, { status: 'err', failure_source: 'probe', error: null, status_code: 200 });
  t.like(result.assertions, { 0: { passed: true }, 1: { passed: null, skipped: 'agent_busy' } });
});
