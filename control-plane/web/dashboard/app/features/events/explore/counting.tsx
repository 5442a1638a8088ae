import { useState } from 'preact/hooks';
import type { Step } from '#control-plane/web/api-client/read-answer.ts';
import { Skeleton } from '../../../kit/page.tsx';
import { read } from '../../../session/api.ts';
import type { Trends, TrendsQuery } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { type Load, useLoad } from '../../../session/load.ts';

/** Values of a property are counted from events, which may be millions. */
const brokenDownEveryMs = 300_000;

/** Loads trends. A breakdown says how many of its parts are counted; `step` is null before the first. */
export function useTrends(
  key: string,
  ask: () => TrendsQuery,
  everyMs: number,
): { trends: Load<Trends>; step: Step | null } {
  const { api } = useApp();
  const [step, setStep] = useState<Step | null>(null);
  const trends = useLoad<Trends>(
    key,
    () => {
      const query = ask();
      const client = query.breakdown === undefined ? api.client : api.stepwise(setStep);
      return read(client.GET('/v0/trends', { params: { query } }));
    },
    value => (value?.breakdown ? brokenDownEveryMs : everyMs),
  );
  return { trends, step };
}

/** What is shown until the answer is there. */
export function Counting({ step }: { step: Step | null }) {
  if (step === null) return <Skeleton rows={3} />;
  return (
    <>
      <p class="hint">
        Counting events: {step.counted} of {step.parts} days{' '}
        <progress max={step.parts} value={step.counted} aria-label="Counted days" />
      </p>
      <Skeleton rows={3} />
    </>
  );
}
