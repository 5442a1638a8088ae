import fc from 'fast-check';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { checkStatuses, failureSources } from '#shared/check-result.ts';
import { makeNewResult } from './monitor-state.ts';

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\u0000', '\ud800', '\udc00', 'é', '🙂', 'u0000'), maxLength: 8 }),
);
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
/** As agents round them, and as others might send them. */
const milliseconds = orNull(
  fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 86_400_000_000 }).map(value => value / 1000) },
    fc.double({ min: 0, max: 86_400_000, noNaN: true }),
  ),
);

/** Any result that an agent may report: numbers, texts and missing parts of all kinds. */
export const anyResult: fc.Arbitrary<NewResult> = fc
  .record({
    status: fc.constantFrom(...checkStatuses),
    failure_source: orNull(fc.constantFrom(...failureSources)),
    delayed: fc.option(fc.record({ ms: fc.nat(), latency_ms: milliseconds }), { nil: undefined }),
    error: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      fc.record({ code: fc.constant('timeout' as const), message: text }),
    ),
    timings: orNull(
      fc.record({
        dns_ms: milliseconds,
        connect_ms: milliseconds,
        tls_ms: milliseconds,
        first_byte_ms: milliseconds,
        download_ms: milliseconds,
      }),
    ),
    assertions: fc.array(
      fc
        .tuple(
          fc.record({
            index: fc.integer({ min: 0, max: 49 }),
            type: fc.constantFrom('status', 'body_contains', 'header', 'json_path', 'latency_p95'),
            passed: orNull(fc.boolean()),
            expected: text,
            actual: orNull(text),
          }),
          fc.constantFrom({}, { skipped: 'agent_busy' }),
        )
        .map(([outcome, skipped]) => ({ ...outcome, ...skipped })),
      { maxLength: 4 },
    ),
    remote_ip: orNull(fc.constantFrom('203.0.113.7', '2001:db8::1')),
    bytes: fc.oneof(fc.maxSafeNat(), fc.nat({ max: 100_000 })),
    truncated: fc.boolean(),
    tls: orNull(
      fc
        .tuple(
          fc.record({
            protocol: fc.constantFrom('TLSv1.2', 'TLSv1.3'),
            valid_to: fc.constant('2027-01-20T10:00:00.000Z'),
            days_left: fc.oneof(
              fc.integer({ min: -3000, max: 3000 }),
              fc.integer(),
              fc.double({ noNaN: true, noDefaultInfinity: true }),
            ),
          }),
          // Of agents with `tls.facts`, and of those before.
          fc.option(
            fc.record({
              valid_from: fc.constantFrom('2026-10-20T10:00:00.000Z', '2026-10-21T10:00:00.000Z'),
              issuer: text,
              subject: text,
              fingerprint_sha256: fc.constantFrom('ab'.repeat(32), 'cd'.repeat(32)),
            }),
            { nil: {} },
          ),
        )
        .map(([tls, facts]) => ({ ...tls, ...facts })),
    ),
    warnings: fc.constantFrom<string[] | undefined>(
      undefined,
      undefined,
      [],
      ['line_ending'],
      ['line_ending', 'a newer \u0000 word'],
    ),
  })
  .map(changes => makeNewResult(0, changes));
