import { useEffect, useRef, useState } from 'preact/hooks';
import { Page } from '../../../kit/page.tsx';
import type { Monitor } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { type Load, useLoad } from '../../../session/load.ts';
import { useQuery } from '../../../session/query.ts';
import { BulkBar } from './bulk-bar.tsx';
import { MonitorFilters } from './monitor-filters.tsx';
import { describeChanges, filterMonitors, type MonitorFilter, parseFilter, sortMonitors } from './monitor-list.ts';
import { MonitorTable } from './monitor-table.tsx';
import { monitorsToRead, refreshMonitors } from './refresh-monitors.ts';

const topics = ['monitors', 'maintenances'] as const;
/** How long the figures of rows that are not seen may be old. */
const readAllMs = 300_000;

export function Monitors() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const visible = useRef<readonly string[]>([]);
  const readAt = useRef(Number.NEGATIVE_INFINITY);
  const load: Load<readonly Monitor[]> = useLoad<readonly Monitor[]>(
    '',
    async (known, changed) => {
      // While changes come, what is seen is read again now and then, for the time of the last check.
      const isKept = app.live.isLive.value && performance.now() < readAt.current + readAllMs;
      const some = changed === null || !isKept ? null : monitorsToRead(changed, visible.current);
      const monitors = await refreshMonitors(app.api, known, some, first => load.set(first));
      if (some === null) readAt.current = performance.now();
      return monitors;
    },
    // Otherwise each refresh reads every page of the list: the longer it is, the longer the interval.
    list => Math.max(4000, Math.ceil((list?.length ?? 0) / 200) * 2500),
    topics,
  );
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const all = load.value ?? [];
  const filter = parseFilter(query);
  const found = sortMonitors(filterMonitors(all, filter), filter);
  useAnnouncedChanges(load.value, app.announce);
  const change = (changes: Partial<MonitorFilter>) =>
    setQuery({
      ...('text' in changes && { q: changes.text ?? '' }),
      ...('status' in changes && { status: changes.status ?? '' }),
      ...('kind' in changes && { kind: changes.kind ?? '' }),
      ...(changes.sort !== undefined && { sort: changes.sort === 'urgency' ? '' : changes.sort }),
    });
  const canWrite = app.can('monitors:write');
  return (
    <Page
      title="Monitors"
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        canWrite && (
          <a class="button primary" href="#/monitors/new">
            New monitor
          </a>
        )
      }
    >
      {all.length === 0 ? (
        <NoMonitors canWrite={canWrite} />
      ) : (
        <>
          <MonitorFilters monitors={all} filter={filter} change={change} />
          {found.length === 0 && <p class="empty">No monitors match.</p>}
          {found.length > 0 && (
            <MonitorTable
              monitors={found}
              filter={filter}
              change={change}
              selected={selected}
              select={canWrite ? setSelected : null}
              onVisible={ids => {
                visible.current = ids;
              }}
            />
          )}
          {selected.size > 0 && (
            <BulkBar
              monitors={all.filter(({ id }) => selected.has(id))}
              clear={() => setSelected(new Set())}
              refresh={load.refresh}
            />
          )}
        </>
      )}
    </Page>
  );
}

function useAnnouncedChanges(list: readonly Monitor[] | null, announce: (text: string) => void): void {
  const before = useRef<readonly Monitor[]>([]);
  useEffect(() => {
    const text = describeChanges(before.current, list ?? []);
    if (text !== null) announce(text);
    before.current = list ?? [];
  }, [list]);
}

function NoMonitors({ canWrite }: { canWrite: boolean }) {
  const body = '{"name": "My site", "url": "https://example.com/", "interval_seconds": 30, "regions": ["eu-west"]}';
  const call = [
    `curl -s -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' ${location.origin}/v0/monitors \\`,
    `  -d '${body}'`,
  ];
  return (
    <section class="card empty">
      <h2>No monitors yet</h2>
      <p>A monitor checks one URL from one or more regions. Create your first one here or with the API:</p>
      <pre tabIndex={0}>{call.join('\n')}</pre>
      {!canWrite && <p class="hint">You do not have permission to create monitors.</p>}
    </section>
  );
}
