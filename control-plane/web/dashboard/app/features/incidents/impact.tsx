import { ProblemNote } from '../../kit/problem.tsx';
import { Ago } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Incident, IncidentImpact } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { ReleaseVerdict } from '../releases/release-verdict.tsx';
import { describeComparison, describeMissing, describeUsers } from '../releases/words.ts';

/** Whom the incident affected, and which releases preceded it, from the project's own events. */
export function Impact({ incident: { id, resolved_at } }: { incident: Incident }) {
  const { api, can } = useApp();
  const mayRead = can('events:read');
  const load = useLoad<IncidentImpact | null>(
    `${id} ${resolved_at}`,
    async () => (mayRead ? read(api.client.GET('/v0/incidents/{id}/impact', { params: { path: { id } } })) : null),
    resolved_at === null ? 30_000 : 600_000,
  );
  if (!mayRead) return null;
  return (
    <section class="card">
      <h2>Impact on users</h2>
      {load.value === null && load.freshness.error === null && <div class="bone" />}
      <ProblemNote problem={load.value === null ? load.freshness.error : null} />
      {load.value !== null && <Measured impact={load.value} />}
    </section>
  );
}

function Measured({ impact: { users, missing, releases, computed_at } }: { impact: IncidentImpact }) {
  const isSilent = users.reason === 'no_events';
  return (
    <>
      <p>{describeUsers(users)}</p>
      {users.active !== null && users.active > 0 && (
        <p class="hint">
          {(users.with_errors ?? 0).toLocaleString('en')} of {users.active.toLocaleString('en')} active users had an
          error
          {users.expected !== null && `; ${users.expected.toLocaleString('en')} is usual`}.
        </p>
      )}
      {isSilent && <p class="hint">Send events to see how many users the next incident affects.</p>}
      {(missing.status === 'measured' || missing.reason !== users.reason) && (
        <>
          <h3>Users who stayed away</h3>
          <p>{describeMissing(missing)}</p>
        </>
      )}
      <h3>Releases shortly before</h3>
      {releases.candidates.length === 0 && <p class="hint">None within an hour before the start.</p>}
      <ul class="lines">
        {releases.candidates.map(candidate => (
          <li key={candidate.id}>
            <ReleaseVerdict verdict={candidate.verdict} />
            <strong>{candidate.version}</strong>
            <span class="hint">
              <Ago at={candidate.released_at} />
            </span>
            <span class="hint">{describeComparison(candidate)}</span>
            {candidate.new_errors.length > 0 && (
              <span class="hint">New errors: {candidate.new_errors.map(({ name }) => name).join(', ')}</span>
            )}
          </li>
        ))}
      </ul>
      {!isSilent && (
        <p class="hint">
          Estimated from your events, computed <Ago at={computed_at} />. Never public. “Suspect” says that errors rose
          after the release, beyond chance; no more than that.
        </p>
      )}
    </>
  );
}
