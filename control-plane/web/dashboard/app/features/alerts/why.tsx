import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { read } from '../../session/api.ts';
import type { Alert } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { formatDuration, formatTime } from '../../session/time.ts';
import { clockSteps, describeFlips } from './explanation.ts';

/** Why an alert opened: in a sentence, by the votes of that moment, and step by step from the last good check on. */
export function Why({ alert }: { alert: Alert }) {
  const { api, zone } = useApp();
  const load = useLoad(
    alert.id,
    () => read(api.client.GET('/v0/alerts/{id}/explanation', { params: { path: { id: alert.id } } })),
    30_000,
    ['alerts'],
  );
  const found = load.value;
  if (found === null) return load.freshness.error === null ? <div class="bone" /> : null;
  const steps = clockSteps(found.clock);
  return (
    <section class="card">
      <h2>Why it opened</h2>
      <p>{found.sentence}</p>
      {found.domain != null && (
        <dl class="facts">
          <dt>Registered with</dt>
          <dd>{found.domain.registrar ?? 'not said'}</dd>
          <dt>Ends</dt>
          <dd>{formatTime(found.domain.ends_at, zone.value)}</dd>
          <dt>Looked up</dt>
          <dd>{formatTime(found.domain.as_of, zone.value)}</dd>
        </dl>
      )}
      {found.votes.length > 0 && (
        <>
          <h3>Votes at that moment</h3>
          <ul class="lines">
            {found.votes.map(({ region, vote, age_ms, counted, why_not }) => (
              <li key={region}>
                <Badge state={presentation('votes', vote)} />
                <span>{region}</span>
                <span class="hint">
                  {age_ms === null ? 'no result' : `${formatDuration(age_ms)} old`}
                  {!counted && `, not counted${why_not === null ? '' : `: ${why_not.replaceAll('_', ' ')}`}`}
                </span>
              </li>
            ))}
          </ul>
          {found.flips.length > 0 && <p class="hint">{describeFlips(found.flips)}</p>}
        </>
      )}
      {steps.length > 0 && (
        <>
          <h3>Step by step</h3>
          <ol class="lines">
            {steps.map(({ name, at, afterMs }) => (
              <li key={name}>
                <span>{name}</span>
                <span class="hint">{formatTime(at, zone.value)}</span>
                {afterMs !== null && <span class="hint end">{describeGap(afterMs)}</span>}
              </li>
            ))}
          </ol>
        </>
      )}
      {found.missing.length > 0 && (
        <p class="hint">No longer known: {found.missing.map(({ what, why }) => `${what} (${why})`).join('; ')}.</p>
      )}
    </section>
  );
}

function describeGap(ms: number): string {
  return ms < 10_000 ? `+${(ms / 1000).toFixed(1)} s` : `+${formatDuration(ms)}`;
}
