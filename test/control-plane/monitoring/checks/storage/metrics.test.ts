import test from 'ava';
import fc from 'fast-check';
import { type CheckMetrics, packMetrics, unpackMetrics } from '#control-plane/monitoring/checks/storage/metrics.ts';

const usual: CheckMetrics = {
  timings: { dns_ms: 1.482, connect_ms: 11.318, tls_ms: 24.871, first_byte_ms: 160.5, download_ms: 2.329 },
  bytes: 18_423,
  truncated: false,
  daysLeft: 61,
};
const orNull = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const ms = orNull(fc.integer({ min: 0, max: 86_400_000_000 }).map(value => value / 1000));

test('metrics come back exactly as they were packed', t => {
  const metrics = fc.record({
    timings: orNull(fc.record({ dns_ms: ms, connect_ms: ms, tls_ms: ms, first_byte_ms: ms, download_ms: ms })),
    bytes: fc.maxSafeNat(),
    truncated: fc.boolean(),
    daysLeft: orNull(fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 })),
  });
  fc.assert(
    fc.property(metrics, value => {
      const packed = packMetrics(value);
      t.deepEqual(packed === null ? null : unpackMetrics(packed), value);
    }),
  );
});

test('the metrics of a usual check take 17 bytes', t => {
  t.is(packMetrics(usual)?.length, 17);
});

for (const [title, change] of [
  ['a timing finer than a microsecond', { timings: { ...(usual.timings ?? never()), dns_ms: 0.0004 } }],
  ['a fraction of a day', { daysLeft: 61.4 }],
  ['more days than a certificate can have', { daysLeft: 2 ** 31 }],
] as const) {
  test(`${title} is not packed, since it would not come back`, t => {
    t.is(packMetrics({ ...usual, ...change }), null);
  });
}

function never(): never {
  throw new Error('there are timings');
}

test('metrics that end too early are read as zeros, not for ever', t => {
  const packed = packMetrics(usual) ?? never();
  for (let length = 0; length < packed.length; length++) t.notThrows(() => unpackMetrics(packed.subarray(0, length)));
});
