import { Shape } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import type { Overview } from '../../session/api-types.ts';
import { statusesByUrgency } from '../monitors/list/monitor-list.ts';
import { describeOverview } from './words.ts';

/** The state of everything in one sentence, and the monitors by status. */
export function Verdict({ overview }: { overview: Overview }) {
  const { status, sentence, details } = describeOverview(overview);
  const state = status === 'maintenance' ? presentation('planned', status) : presentation('verdicts', status);
  return (
    <section class={`card verdict ${state.tone}`}>
      <p class={`sentence ${state.tone}`}>
        <Shape name={state.glyph} />
        {sentence}
      </p>
      {details.length > 0 && <p class="hint">{details.join(' · ')}</p>}
      <ul class="tally">
        {statusesByUrgency.map(each => {
          const count = overview.monitors[each] ?? 0;
          const { tone, glyph, label } = presentation('verdicts', each);
          if (count === 0) return null;
          return (
            <li key={each}>
              <a class={`tally-link ${tone}`} href={`#/monitors?status=${each}`}>
                <Shape name={glyph} />
                <strong>{count.toLocaleString('en')}</strong> {label.toLowerCase()}
              </a>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
