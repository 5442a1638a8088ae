import test from 'ava';
import fc from 'fast-check';
import { commonSteps, joinSteps, packSteps } from '#control-plane/monitoring/checks/storage/step-figures.ts';
import type { StepFacts } from '#shared/checks/step-facts.ts';

const ms = fc.integer({ min: 0, max: 60_000_000 }).map(micros => micros / 1000);
const phase = fc.option(ms);
const steps = fc.array(
  fc.record({
    name: fc.string(),
    status: fc.constantFrom('ok', 'err', 'skipped'),
    reason: fc.constant(null),
    status_code: fc.option(fc.integer({ min: 100, max: 599 })),
    latency_ms: phase,
    timings: fc.option(
      fc.record(
        {
          dns_ms: phase,
          connect_ms: phase,
          tls_ms: phase,
          first_byte_ms: phase,
          download_ms: phase,
          proxy_ms: ms,
          auth_ms: ms,
        },
        { requiredKeys: ['dns_ms', 'connect_ms', 'tls_ms', 'first_byte_ms', 'download_ms'] },
      ),
    ),
    error: fc.constant(null),
  }) as fc.Arbitrary<StepFacts>,
  { maxLength: 10 },
);

test('steps come back as they were, in at most 52 characters each beside what repeats', t => {
  fc.assert(
    fc.property(steps, given => {
      const packed = packSteps(given);
      if (packed === null || packed.length > given.length * 52) return false;
      t.deepEqual(joinSteps(commonSteps(given, packed), packed), given);
      return true;
    }),
  );
});

test('times that are not whole microseconds stay in the template', t => {
  const step: StepFacts = {
    name: 'a',
    status: 'ok',
    reason: null,
    status_code: 200,
    latency_ms: 0.1234567,
    timings: null,
    error: null,
  };
  t.is(packSteps([step]), null);
  t.deepEqual(joinSteps(commonSteps([step], null), undefined), [step]);
});
