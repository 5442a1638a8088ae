import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { Maintenance } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { Calendar } from './calendar.tsx';
import { MaintenanceRow } from './maintenance-row.tsx';

const views = [
  ['list', 'List'],
  ['month', 'Month'],
  ['week', 'Week'],
] as const;
const overShown = 30;

/** Maintenance windows as a list, or on a calendar. */
export function Maintenances() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const view = views.find(([each]) => each === query.get('view'))?.[0] ?? 'list';
  const load = useLoad('', () => readWindows(app), 5000, ['maintenances']);
  const windows = load.value ?? [];
  const canWrite = app.can('maintenances:write');
  return (
    <Page
      title="Maintenance"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        canWrite && (
          <a class="button primary" href="#/maintenance/new">
            New window
          </a>
        )
      }
    >
      {windows.length === 0 ? (
        <NoWindows canWrite={canWrite} />
      ) : (
        <>
          <div class="segments" role="group" aria-label="Show as">
            {views.map(([each, label]) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === view}
                onClick={() => setQuery({ view: each === 'list' ? '' : each })}
              >
                {label}
              </button>
            ))}
          </div>
          {view === 'list' ? <Lists windows={windows} /> : <Calendar kind={view} />}
        </>
      )}
    </Page>
  );
}

/** All that last or come, and the latest of the others. */
async function readWindows({ api }: App): Promise<Maintenance[]> {
  const list = (query: { state: Maintenance['state'][]; limit: number; cursor?: string }) =>
    api.client.GET('/v0/maintenances', { params: { query } });
  const [planned, over] = await Promise.all([
    readAll(page => list({ state: ['in_progress', 'scheduled'], ...page })),
    read(list({ state: ['completed', 'cancelled'], limit: overShown })),
  ]);
  return [...planned, ...over.data];
}

/** When a window begins next, began, or was last planned for. */
function momentOf({ current, next, ends_at, created_at }: Maintenance): string {
  return current?.starts_at ?? next?.starts_at ?? ends_at ?? created_at;
}

function Lists({ windows }: { windows: readonly Maintenance[] }) {
  const of = (...states: Maintenance['state'][]) =>
    windows
      .filter(({ state }) => states.includes(state))
      .toSorted((left, right) => momentOf(left).localeCompare(momentOf(right)));
  const over = of('completed', 'cancelled').reverse();
  return (
    <>
      <Section title="In progress" windows={of('in_progress')} empty="Nothing is in maintenance now." />
      <Section title="Coming" windows={of('scheduled')} empty="No maintenance is planned." />
      {over.length > 0 && <Section title="Over" windows={over} empty="" />}
      {over.length === overShown && <p class="hint">Older windows are on the calendar.</p>}
    </>
  );
}

function Section({ title, windows, empty }: { title: string; windows: readonly Maintenance[]; empty: string }) {
  return (
    <section>
      <h2>{title}</h2>
      {windows.length === 0 && <p class="hint">{empty}</p>}
      <ul class="cards">
        {windows.map(maintenance => (
          <MaintenanceRow key={maintenance.id} maintenance={maintenance} />
        ))}
      </ul>
    </section>
  );
}

function NoWindows({ canWrite }: { canWrite: boolean }) {
  return (
    <section class="card empty">
      <h2>No maintenance planned</h2>
      <p>
        In a maintenance window nobody is paged, the time does not count toward uptime, and status pages can announce
        it. Windows can recur, such as every Sunday night.
      </p>
      {canWrite ? (
        <p>
          <a class="button primary" href="#/maintenance/new">
            Plan maintenance
          </a>
        </p>
      ) : (
        <p class="hint">You do not have permission to plan maintenance.</p>
      )}
    </section>
  );
}
