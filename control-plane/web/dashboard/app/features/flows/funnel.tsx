import { formatShare } from '../../kit/share.ts';
import type { FunnelReport } from '../../session/api-types.ts';
import { lostAfter } from './funnel-steps.ts';

/** A bar a step, as long as the share of users that reached it, with those who were lost between. */
export function Funnel({ steps }: { steps: FunnelReport['steps'] }) {
  return (
    <ol class="funnel">
      {steps.map((step, index) => {
        const lost = lostAfter(steps, index);
        return (
          <li key={step.step}>
            <span class="funnel-name">
              {step.step}. {step.name}
            </span>
            <span class="funnel-track">
              <span class="funnel-bar" style={{ width: `${(step.from_first ?? 0) * 100}%` }} />
            </span>
            <span class="funnel-figures">
              <strong>{step.users.toLocaleString('en')}</strong>
              <span class="hint">{formatShare(step.from_first)}</span>
            </span>
            {index < steps.length - 1 && (
              <span class="funnel-lost hint">
                {formatShare(steps[index + 1]?.from_previous ?? null)} continue
                {lost > 0 && `, ${lost.toLocaleString('en')} do not`}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
