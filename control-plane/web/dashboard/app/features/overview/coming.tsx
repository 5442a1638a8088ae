import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { formatLength, formatSpan } from '../../kit/span.ts';
import { Ago } from '../../kit/time.tsx';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { Loading } from './loading.tsx';

const aheadMs = 7 * 86_400_000;
const shownMax = 5;
const readMax = 400;

/** Maintenance that lasts, or begins within a week. */
export function ComingMaintenance() {
  const app = useApp();
  const load = useLoad('', () => readComing(app), 30_000, ['maintenances']);
  if (load.value === null) return <Loading title="Maintenance in the next 7 days" load={load} />;
  const windows = load.value
    .filter(({ state }) => state === 'in_progress' || state === 'scheduled')
    .toSorted((left, right) => left.starts_at.localeCompare(right.starts_at));
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
  const range = { from: new Date(nowMs).toISOString(), to: new Date(nowMs + aheadMs).toISOString() };
  const list = (page: { limit: number; cursor?: string }) =>
    api.client.GET('/v0/maintenance-occurrences', { params: { query: { ...range, ...page } } });
  return readAll(list, readMax);
}
