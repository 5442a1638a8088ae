import { read } from '../../data/api.ts';
import { formatLength, formatSpan } from '../../data/span.ts';
import { Badge } from '../../parts/badge.tsx';
import { presentation } from '../../parts/labels.ts';
import { Ago } from '../../parts/time.tsx';
import { type App, useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';

const aheadMs = 7 * 86_400_000;
const shownMax = 5;
/** Completed ones of today come first: they are read and left out. */
const readMax = 30;

/** Maintenance that lasts, or begins within a week. */
export function ComingMaintenance() {
  const app = useApp();
  const load = useLoad('', () => readComing(app), 30_000, ['maintenances']);
  if (load.value === null) return null;
  const windows = load.value.filter(({ state }) => state === 'in_progress' || state === 'scheduled');
  return (
    <section class="card">
      <h2>Maintenance in the next 7 days</h2>
      {windows.length === 0 && <p class="hint">None planned.</p>}
      <ul class="lines">
        {windows.slice(0, shownMax).map(({ id, maintenance_id, title, state, starts_at, ends_at }) => (
          <li key={id} data-row>
            {state === 'in_progress' && <Badge state={presentation('maintenances', state)} />}
            <a class="name" href={`#/maintenance/${maintenance_id}`}>
              {title}
            </a>
            <span class="hint end">
              {state === 'in_progress' ? 'ends ' : 'begins '}
              <Ago at={state === 'in_progress' ? ends_at : starts_at} />
            </span>
            <span class="hint whole">
              {formatSpan(starts_at, ends_at, app.zone.value)} ({formatLength(starts_at, ends_at)})
            </span>
          </li>
        ))}
      </ul>
      {windows.length > shownMax && (
        <p>
          <a href="#/maintenance?view=week">All maintenance of the week</a>
        </p>
      )}
    </section>
  );
}

async function readComing({ api }: App) {
  const nowMs = api.nowMs();
  const query = { from: new Date(nowMs).toISOString(), to: new Date(nowMs + aheadMs).toISOString(), limit: readMax };
  return (await read(api.client.GET('/v0/maintenance-occurrences', { params: { query } }))).data;
}
