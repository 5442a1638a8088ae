import { useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { At } from '../../kit/time.tsx';
import { useAction } from '../../session/action.ts';
import { type List, read } from '../../session/api.ts';
import type { Incident, Release, TimelineItem } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { EventType } from './event-type.tsx';
import { EventSections } from './sections.tsx';
import { UserActions } from './user-actions.tsx';
import { UserRows } from './user-chart.tsx';
import { chartRowsOf, describeRows, rangeOf } from './user-rows.ts';

const pageLimit = 100;

type Loaded = {
  items: readonly TimelineItem[];
  cursor: string | null;
  releases: readonly Release[];
  incidents: readonly Incident[];
};
const nothing: Loaded = { items: [], cursor: null, releases: [], incidents: [] };

/** What one user did, session by session, with what happened around them. */
export function UserTimeline() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const id = query.get('id') ?? '';
  const older = useAction();
  const load = useLoad<Loaded>(id, previous => readTimeline(app, id, previous), 5000);
  const { items, cursor, releases, incidents } = load.value ?? nothing;
  const chartRows = chartRowsOf(items);
  const loadOlder = async (): Promise<void> => {
    const next = await readPage(app, id, cursor);
    const whole = { items: [...items, ...next.data], cursor: next.pagination.next_cursor };
    load.set({ ...whole, ...(await readMarks(app, whole.items)) });
  };
  const { sessions, events, errors } = describeRows(chartRows);
  return (
    <Page
      title={id === '' ? 'User timeline' : id}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={id === '' ? undefined : <UserActions id={id} refresh={load.refresh} />}
    >
      <EventSections />
      <FindUser key={id} id={id} find={found => setQuery({ id: found })} />
      {id !== '' && chartRows.length === 0 && (
        <p class="empty">No events of this user are stored. The ID must match external_user_id exactly.</p>
      )}
      {chartRows.length > 0 && (
        <>
          <section class="card">
            <h2>
              {plural(sessions, 'session')}, {plural(events, 'event')}, {plural(errors, 'error')}
              {cursor !== null && ' so far'}
            </h2>
            <UserRows chartRows={chartRows} releases={releases} incidents={incidents} />
          </section>
          {chartRows.map(({ session, items: found }) => (
            <section key={session ?? ''} class="card">
              <h2>{session === null ? 'Without a session' : `Session ${session}`}</h2>
              <ol class="lines">
                {found.map(item => (
                  <li key={item.id} data-row>
                    <EventType type={item.type} />
                    <strong>{item.name}</strong>
                    {item.linked === true && <span class="hint">without the user, by its session</span>}
                    {item.props !== undefined && <code class="props">{JSON.stringify(item.props)}</code>}
                    <span class="hint end">
                      <At at={item.timestamp} />
                    </span>
                  </li>
                ))}
              </ol>
            </section>
          ))}
        </>
      )}
      {cursor !== null && (
        <ActionButton action={older} work={loadOlder}>
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </Page>
  );
}

function FindUser({ id, find }: { id: string; find(id: string): void }) {
  const [text, setText] = useState(id);
  const submit = (event: Event): void => {
    event.preventDefault();
    find(text.trim());
  };
  return (
    <form class="filters" onSubmit={submit}>
      <input
        type="search"
        data-search
        aria-label="User ID"
        placeholder="external_user_id"
        value={text}
        onInput={event => setText(event.currentTarget.value)}
      />
      <button type="submit">Show timeline</button>
    </form>
  );
}

async function readTimeline(app: App, id: string, previous: Loaded | null): Promise<Loaded> {
  if (id === '') return nothing;
  const newest = await readPage(app, id, null);
  const ids = new Set(newest.data.map(item => item.id));
  const kept = previous?.items.filter(item => !ids.has(item.id)) ?? [];
  const items = [...newest.data, ...kept];
  const cursor = kept.length === 0 ? newest.pagination.next_cursor : (previous?.cursor ?? null);
  return { items, cursor, ...(await readMarks(app, items)) };
}

function readPage({ api }: App, id: string, cursor: string | null): Promise<List<TimelineItem>> {
  const query = { limit: pageLimit, ...(cursor === null ? {} : { cursor }) };
  const params = { path: { external_id: id }, query };
  return read(api.client.GET('/v0/users/{external_id}/timeline', { params }));
}

/** Releases and incidents of the time that the events cover. */
async function readMarks({ api, can }: App, items: readonly TimelineItem[]) {
  const chartRows = chartRowsOf(items);
  if (chartRows.length === 0) return { releases: [], incidents: [] };
  const { fromMs, toMs } = rangeOf(chartRows);
  const query = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString(), limit: 50 };
  const [releases, incidents] = await Promise.all([
    can('releases:read') ? read(api.client.GET('/v0/releases', { params: { query } })) : { data: [] },
    can('incidents:read') ? read(api.client.GET('/v0/incidents', { params: { query: { limit: 50 } } })) : { data: [] },
  ]);
  return { releases: releases.data, incidents: incidents.data };
}
