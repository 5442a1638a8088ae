import { useState } from 'preact/hooks';
import { ActionButton } from '../../../../kit/button.tsx';
import { ProblemNote } from '../../../../kit/problem.tsx';
import { useAction } from '../../../../session/action.ts';
import { read } from '../../../../session/api.ts';
import type { MonitorTestBody, TestedRegion } from '../../../../session/api-types.ts';
import { useApp } from '../../../../session/app.ts';

type Measured = NonNullable<NonNullable<TestedRegion['result']>['measured']>;
type Values = { key: string; now: Measured | null; before: number | null };

/** The value of the last whole window and that of a week before, for settings that are being edited. */
export function EventsValues({ settings }: { settings: Readonly<Record<string, unknown>> }) {
  const { api } = useApp();
  const action = useAction();
  const [found, setFound] = useState<Values | null>(null);
  const { name: _name, ...rest } = settings;
  const key = JSON.stringify(rest);
  const measure = async (against: 'week_before' | null): Promise<Measured | null> => {
    const events = { ...(rest.events as object), against, min_sample: 0 };
    const body = { ...rest, events } as unknown as MonitorTestBody;
    const { data } = await read(api.client.POST('/v0/monitors/test', { body }));
    return data[0]?.result?.measured ?? null;
  };
  const run = async (): Promise<void> => {
    const [now, compared] = [await measure(null), await measure('week_before')];
    setFound({ key, now, before: compared?.base ?? null });
  };
  return (
    <section class="card" aria-label="Values">
      <h2>What is it now?</h2>
      <p class="hint">Counts the last whole window, and the same one a week before. Nothing is saved.</p>
      <div class="buttons">
        <ActionButton action={action} work={run}>
          Count now
        </ActionButton>
      </div>
      <ProblemNote problem={action.problem} />
      {found?.key === key && (
        <div role="status">
          <dl class="facts">
            <dt>Now</dt>
            <dd>{describeValue(found.now?.value ?? null)}</dd>
            <dt>A week before</dt>
            <dd>{describeValue(found.before)}</dd>
          </dl>
        </div>
      )}
    </section>
  );
}

function describeValue(value: number | null): string {
  return value === null ? 'nothing can be said' : value.toLocaleString('en', { maximumSignificantDigits: 4 });
}
