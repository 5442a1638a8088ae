import { useState } from 'preact/hooks';
import { Filter } from '../../kit/form/filter.tsx';
import { Page } from '../../kit/page.tsx';
import { type List, read } from '../../session/api.ts';
import type { EventRate, Project, StoredEvent } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { NoEvents } from './no-events.tsx';
import { Rate } from './rate.tsx';
import { EventSections } from './sections.tsx';
import { hasMixedSession, mergeTail, type Tail, tailStart } from './tail.ts';
import { TailTable } from './tail-table.tsx';

const typeChoices = [
  ['', 'all'],
  ['track', 'track'],
  ['error', 'error'],
  ['release', 'release'],
] as const;
const hourMs = 3_590_000;
/** A first look: most projects fill a page within a minute, and an hour is read only where they do not. */
const firstLookMs = 60_000;
const pageLimit = 100;

type EventFilter = { types: string; name: string };

/** Events as they arrive, what was refused, and the rate against the limits. */
export function LiveEvents() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const [isPaused, setPaused] = useState(false);
  const filter = { types: query.get('types') ?? '', name: query.get('name') ?? '' };
  const rate = useLoad<EventRate>('rate', () => read(app.api.client.GET('/v0/events/rate')), 5000);
  const tail = useLoad<Tail>(
    JSON.stringify(filter),
    async previous => (isPaused && previous !== null ? previous : readTail(app, filter, previous)),
    2500,
  );
  const shown = tail.value;
  return (
    <Page title="Events" freshness={rate.freshness} refresh={rate.refresh}>
      <EventSections />
      {rate.value !== null && <Rate rate={rate.value} />}
      <section class="card">
        <div class="card-head">
          <h2>Arriving now</h2>
          <div class="filters live-filters">
            <input
              type="search"
              data-search
              aria-label="Event name"
              placeholder="Exact event name"
              value={filter.name}
              onChange={event => setQuery({ name: event.currentTarget.value.trim() })}
            />
            <Filter label="Type" value={filter.types} choices={typeChoices} onChange={types => setQuery({ types })} />
            <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
              {isPaused ? 'Resume' : 'Pause'}
            </button>
          </div>
        </div>
        {shown === null && <div class="bone" />}
        {shown?.events.length === 0 &&
          (filter.types !== '' || filter.name !== '' ? (
            <p class="empty">No events of the last hour match.</p>
          ) : (
            <NoEvents text="No events in the last hour." />
          ))}
        {shown !== null && hasMixedSession(shown) && <LinkOffer />}
        {shown !== null && shown.events.length > 0 && <TailTable tail={shown} />}
      </section>
    </Page>
  );
}

/** Sessions with and without a user are seen: they may be linked. */
function LinkOffer() {
  const { api, can } = useApp();
  const load = useLoad<Project>('', () => read(api.client.GET('/v0/project')), 60_000);
  if (!can('project:write') || load.value?.link_sessions !== false) return null;
  return (
    <p class="note">
      Some sessions begin without a user and name one later: they count as two.{' '}
      <a href="#/settings">Count them as one person</a>.
    </p>
  );
}

async function readTail(app: App, filter: EventFilter, previous: Tail | null): Promise<Tail> {
  const nowMs = app.api.nowMs();
  const load = (from: string): Promise<List<StoredEvent>> => {
    const chosen = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
    return read(app.api.client.GET('/v0/events', { params: { query: { ...chosen, from, limit: pageLimit } } }));
  };
  if (previous !== null && previous.events.length > 0)
    return mergeTail(previous, await load(tailStart(previous, nowMs - hourMs)));
  const look = await load(new Date(nowMs - firstLookMs).toISOString());
  const isEnough = look.pagination.has_more || look.data.length >= pageLimit / 2;
  return mergeTail(null, isEnough ? look : await load(new Date(nowMs - hourMs).toISOString()));
}
