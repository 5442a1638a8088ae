import test from 'ava';
import fc from 'fast-check';
import { isWellFormed } from '#control-plane/monitoring/checks/intake/well-formed.ts';
import { wireResultSchema } from '#shared/check-result.ts';
import { newId } from '#shared/ids.ts';

const ms = fc.option(fc.double({ min: 0, max: 86_400_000, noNaN: true }));
const instant = fc.integer({ min: 0, max: 8_640_000_000_000_000 });
const fields = {
  seq: fc.integer({ min: 1 }),
  monitor_id: fc.constant(newId('mon')),
  config_version: fc.integer({ min: 1, max: 2_147_483_647 }),
  kind: fc.constantFrom('scheduled', 'confirm'),
  attempt: fc.constantFrom(1, 2),
  scheduled_at: instant,
  started_at: instant,
  completed_at: instant,
  status: fc.constantFrom('ok', 'warn', 'err'),
  latency_ms: ms,
  timings: fc.option(fc.record({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, download_ms: ms })),
  status_code: fc.option(fc.integer({ min: 100, max: 999 })),
  error: fc.option(
    fc.record({ code: fc.constantFrom('timeout', 'tls_error'), message: fc.string({ maxLength: 300 }) }),
  ),
  failure_source: fc.option(fc.constantFrom('target', 'resolver', 'probe')),
  assertions: fc.array(
    fc.record({
      index: fc.integer({ min: 0, max: 49 }),
      type: fc.constantFrom('status', 'json_path'),
      passed: fc.option(fc.boolean()),
      expected: fc.string({ maxLength: 300 }),
      actual: fc.option(fc.string({ maxLength: 300 })),
    }),
    { maxLength: 3 },
  ),
  remote_ip: fc.option(fc.string({ maxLength: 64 })),
  bytes: fc.integer({ min: 0 }),
  truncated: fc.boolean(),
  tls: fc.option(
    fc.record({
      protocol: fc.string({ maxLength: 32 }),
      valid_to: fc.string({ maxLength: 32 }),
      days_left: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }),
  ),
};
const delayed = { ...fields, delayed_ms: fc.double({ min: 0, max: 86_400_000, noNaN: true }) };
const version = fc.record({ http_version: fc.constantFrom('1.0', '1.1', '2') });
const alpn = fc.record({
  protocol: fc.string({ maxLength: 32 }),
  valid_to: fc.string({ maxLength: 32 }),
  days_left: fc.integer(),
  alpn: fc.string({ maxLength: 32 }),
});
const reported = fc.oneof(
  { weight: 3, arbitrary: fc.record(fields) },
  fc.record(delayed),
  fc.record({ ...fields, tls: alpn, facts: version }),
);
const warned = fc
  .tuple(reported, fc.array(fc.string({ maxLength: 32 }), { maxLength: 3 }))
  .map(([result, warnings]) => (warnings.length === 0 ? result : { ...result, warnings }));
const odd = fc.constantFrom(
  ...[
    undefined,
    null,
    '',
    'x',
    'x'.repeat(301),
    0,
    1,
    2,
    3,
    -1,
    0.5,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    2 ** 31,
    1000,
    true,
    [],
    {},
  ],
  [1],
  { code: 'timeout' },
);
/** A path into a result, to be followed as far as it exists, and what is put there; `added` is a field more. */
const change = fc.record({ path: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), value: odd, added: fc.boolean() });

function changed(result: object, { path, value, added }: { path: number[]; value: unknown; added: boolean }): object {
  const copy = structuredClone(result) as Record<string, unknown>;
  let place = copy;
  for (const [depth, step] of path.entries()) {
    const keys = Object.keys(place);
    const key = keys[step % keys.length] ?? 'skipped';
    const next = place[key];
    if (depth < path.length - 1 && typeof next === 'object' && next !== null) place = next as typeof place;
    else if (Array.isArray(place)) place.push(value);
    else if (added) place.skipped = value;
    else place[key] = value;
  }
  return copy;
}

test('a result of the wire’s form is known without its schema', t => {
  fc.assert(
    fc.property(warned, result => {
      t.true(isWellFormed(JSON.parse(JSON.stringify(result))));
    }),
    { numRuns: 200 },
  );
});

test('what is taken without the schema is what the schema returns, for any field that is wrong or added', t => {
  fc.assert(
    fc.property(warned, change, (result, { path, value, added }) => {
      const sent = changed(result, { path, value, added });
      if (!isWellFormed(sent)) return;
      const parsed = wireResultSchema.safeParse(sent);
      t.true(parsed.success);
      t.deepEqual(parsed.data as object, sent);
    }),
    { numRuns: 600 },
  );
});

test('what is not a result is left to the schema', t => {
  for (const value of [undefined, null, 1, '', [], {}, () => 1]) t.false(isWellFormed(value));
});
