import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { formatSpan } from '../../kit/span.ts';
import { read } from '../../session/api.ts';
import type { Maintenance, Occurrence } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { CancelDialog } from './actions.tsx';

const shownMax = 8;
type OccurrencesProps = { maintenance: Maintenance; onChange: ((maintenance: Maintenance) => void) | null };

/** The coming occurrences of a recurring window, and those that were. */
export function Occurrences({ maintenance, onChange }: OccurrencesProps) {
  const { api } = useApp();
  const { id, schedule, updated_at } = maintenance;
  const [cancelled, setCancelled] = useState<Occurrence | null>(null);
  const params = { path: { id }, query: { limit: 200 } };
  const load = useLoad(
    `${id} ${updated_at}`,
    async () => (await read(api.client.GET('/v0/maintenances/{id}/occurrences', { params }))).data,
    30_000,
  );
  if (schedule === null || load.value === null) return null;
  const isAhead = ({ state }: Occurrence) => state === 'scheduled' || state === 'in_progress';
  const coming = load.value.filter(isAhead).reverse();
  const past = load.value.filter(each => !isAhead(each));
  return (
    <section class="card">
      <h2>Occurrences</h2>
      {coming.length === 0 && <p class="hint">No more occurrences in the next 90 days.</p>}
      <List occurrences={coming} cancel={onChange === null ? null : setCancelled} />
      {past.length > 0 && (
        <details>
          <summary>Over</summary>
          <List occurrences={past} cancel={null} />
        </details>
      )}
      {schedule.exclude.length > 0 && <p class="hint">Left out: {schedule.exclude.join(', ')}</p>}
      {cancelled !== null && onChange !== null && (
        <CancelDialog
          maintenance={maintenance}
          occurrence={cancelled}
          close={() => setCancelled(null)}
          onChange={onChange}
        />
      )}
    </section>
  );
}

type ListProps = { occurrences: readonly Occurrence[]; cancel: ((occurrence: Occurrence) => void) | null };

function List({ occurrences, cancel }: ListProps) {
  const { zone } = useApp();
  return (
    <ul class="lines">
      {occurrences.slice(0, shownMax).map(occurrence => {
        const { id, starts_at, ends_at, state } = occurrence;
        const span = formatSpan(starts_at, ends_at, zone.value);
        return (
          <li key={id} class="occurrence">
            <span>{span}</span>
            {state !== 'scheduled' && <Badge state={presentation('maintenances', state)} />}
            {cancel !== null && state === 'scheduled' && (
              <button type="button" class="quiet end" aria-label={`Cancel ${span}`} onClick={() => cancel(occurrence)}>
                Cancel…
              </button>
            )}
          </li>
        );
      })}
      {occurrences.length > shownMax && <li class="hint">and {occurrences.length - shownMax} more</li>}
    </ul>
  );
}
