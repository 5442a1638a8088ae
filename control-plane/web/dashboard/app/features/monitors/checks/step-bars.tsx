import type { CheckResult } from '../../../session/api-types.ts';
import { stepWaterfall } from './waterfall.ts';

type Steps = NonNullable<CheckResult['steps']>;

const reasons: Readonly<Record<NonNullable<Steps[number]['reason']>, string>> = {
  earlier_failed: 'skipped: a step before it failed',
  missing_variable: 'skipped: a value that it needs was not found',
  nothing_sent: 'skipped: there was nothing to undo',
};

/** The steps of a check, one after the other, as pairs of a list of terms. */
export function StepBars({ steps }: { steps: Steps }) {
  return (
    <>
      {stepWaterfall(steps).map(({ step, left, width }, index) => [
        <dt key={`${index} name`}>
          {index + 1}. {step.name}
        </dt>,
        <dd key={index} class="phase">
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect x={left * 100} y={0} width={width === 0 ? 0 : Math.max(0.5, width * 100)} height={8} />
          </svg>
          {describeStep(step)}
        </dd>,
      ])}
    </>
  );
}

function describeStep({ status, reason, status_code, latency_ms, error }: Steps[number]): string {
  if (reason !== null) return reasons[reason];
  const parts = [
    ...(latency_ms === null ? [] : [`${Math.round(latency_ms * 10) / 10} ms`]),
    ...(status_code === null ? [] : [`status ${status_code}`]),
    ...(status === 'err' ? [error === null ? 'an assertion failed' : `failed: ${error.message}`] : []),
  ];
  return parts.join(', ');
}
