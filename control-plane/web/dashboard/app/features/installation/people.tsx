import { Filter } from '../../kit/form/filter.tsx';
import type { Choices } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { Ago } from '../../kit/time.tsx';
import type { Person } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { ForOperators, InstallationSections } from './sections.tsx';

const peopleMax = 1000;
const stateChoices: Choices = [
  ['', 'all'],
  ['active', 'active'],
  ['deactivated', 'deactivated'],
  ['erased', 'erased'],
];

/** Everybody of the installation. */
export function People() {
  return (
    <ForOperators title="People">
      <PeopleList />
    </ForOperators>
  );
}

function PeopleList() {
  const { api } = useApp();
  const [query, setQuery] = useQuery();
  const [text, state] = [query.get('q') ?? '', query.get('state') ?? ''];
  const asked = { ...(text === '' ? {} : { q: text }), ...(state === '' ? {} : { state: state as Person['state'] }) };
  const load = useLoad(
    JSON.stringify(asked),
    () => readAll(page => api.client.GET('/v0/people', { params: { query: { ...page, ...asked } } }), peopleMax),
    15_000,
  );
  return (
    <Page title="People" freshness={load.freshness} refresh={load.refresh}>
      <InstallationSections />
      <div class="filters">
        <label class="filter">
          <span>Name or address</span>
          <input
            type="search"
            value={text}
            maxLength={200}
            onInput={event => setQuery({ q: event.currentTarget.value })}
          />
        </label>
        <Filter label="State" value={state} choices={stateChoices} onChange={chosen => setQuery({ state: chosen })} />
      </div>
      {load.value?.length === 0 && <p class="empty">Nobody matches.</p>}
      <ul class="cards" aria-label="People">
        {load.value?.map(person => (
          <Row key={person.id} person={person} />
        ))}
      </ul>
    </Page>
  );
}

function Row({ person: { id, name, email, operator, state, last_seen_at } }: { person: Person }) {
  return (
    <li class="card row wall-row" data-row>
      <div class="what">
        <a href={`#/installation/people/${id}`}>
          <strong>{name}</strong>
        </a>
        <span class="hint">{email ?? 'no address'}</span>
      </div>
      {operator && <span class="tag">operator</span>}
      {state !== 'active' && <span class="tag">{state}</span>}
      <span class="hint">{last_seen_at === null ? 'never seen' : ['seen ', <Ago key="seen" at={last_seen_at} />]}</span>
    </li>
  );
}
