import type { JSX } from 'preact';
import { ActionButton } from '../../kit/button.tsx';
import { Filter } from '../../kit/form/filter.tsx';
import type { Choices } from '../../kit/labels.ts';
import { type Crumb, Page, Skeleton } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { saveAs } from '../../kit/save-as.ts';
import { useAction } from '../../session/action.ts';
import { type List, read } from '../../session/api.ts';
import type { AuditEntry } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { SettingSections } from '../settings/sections.tsx';
import { AuditEntries } from './entries.tsx';
import { actionsOf, auditVerbs, dayEnd, dayStart, describeAction } from './words.ts';

const pageLimit = 50;
const lineType = 'application/x-ndjson';
const names = ['actor', 'resource', 'action', 'subject', 'from', 'to'] as const;
type AuditFilter = Readonly<Record<(typeof names)[number], string>>;

const resourceChoices: Choices = [
  ['', 'all'],
  ...Object.keys(auditVerbs).map(resource => [resource, resource.replaceAll('_', ' ')] as const),
];

/** The audit log of the project. */
export function AuditLog() {
  return (
    <AuditOf
      path="/v0/audit"
      readActors={readActors}
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      sections={<SettingSections />}
    />
  );
}

type AuditOfProps = {
  path: '/v0/audit' | '/v0/installation/audit';
  readActors(app: App): Promise<Choices>;
  crumbs: readonly Crumb[];
  sections: JSX.Element;
};

/** Who changed what, with filters; all of it as a file. */
export function AuditOf({ path, readActors, crumbs, sections }: AuditOfProps) {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const older = useAction();
  const saving = useAction();
  const filter = Object.fromEntries(names.map(name => [name, query.get(name) ?? ''])) as AuditFilter;
  const actors = useLoad<Choices>('actors', () => readActors(app), 60_000);
  const load = useLoad<List<AuditEntry>>(
    JSON.stringify(filter),
    async previous => mergeNewest(previous, await readPage(app, path, filter, null)),
    10_000,
  );
  const list = load.value;
  const loadOlder = async (): Promise<void> => {
    if (list === null) return;
    const next = await readPage(app, path, filter, list.pagination.next_cursor);
    load.set({ data: [...list.data, ...next.data], pagination: next.pagination });
  };
  const save = async (): Promise<void> => {
    const search = new URLSearchParams(Object.entries(queryOf(filter)) as [string, string][]);
    saveAs(await app.api.download(`${path}?${search}`, lineType), 'audit.ndjson');
  };
  return (
    <Page
      title="Audit log"
      crumbs={crumbs}
      freshness={actors.freshness}
      refresh={actors.refresh}
      actions={
        <ActionButton action={saving} work={save}>
          Download NDJSON
        </ActionButton>
      }
    >
      {sections}
      <AuditFilters filter={filter} actors={actors.value ?? [['', 'all']]} setQuery={setQuery} />
      <ProblemNote problem={saving.problem} />
      <section class="card">
        {list === null && load.freshness.error === null && <Skeleton />}
        <ProblemNote problem={list === null ? load.freshness.error : null} retry={() => void load.refresh()} />
        {list?.data.length === 0 && <p class="empty">No entries match.</p>}
        {list !== null && <AuditEntries entries={list.data} />}
        {list?.pagination.has_more && (
          <ActionButton action={older} work={loadOlder} class="older">
            Show older
          </ActionButton>
        )}
        <ProblemNote problem={older.problem} />
      </section>
    </Page>
  );
}

type FiltersProps = { filter: AuditFilter; actors: Choices; setQuery(changes: Partial<AuditFilter>): void };

function AuditFilters({ filter, actors, setQuery }: FiltersProps) {
  const actions = actionsOf(filter.resource).map(action => [action, describeAction(action)] as const);
  return (
    <div class="filters">
      <Filter
        label="Actor"
        value={filter.actor}
        choices={withOwn(actors, filter.actor)}
        onChange={actor => setQuery({ actor })}
      />
      <Filter
        label="Resource"
        value={filter.resource}
        choices={resourceChoices}
        onChange={resource => setQuery({ resource, action: '' })}
      />
      <Filter
        label="Action"
        value={filter.action}
        choices={[['', 'all'], ...actions]}
        onChange={action => setQuery({ action })}
      />
      <DateFilter label="From" value={filter.from} onChange={from => setQuery({ from })} />
      <DateFilter label="To" value={filter.to} onChange={to => setQuery({ to })} />
    </div>
  );
}

/** Days in UTC, the last one included. */
function DateFilter({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <label class="filter">
      <span>{label}</span>
      <input type="date" value={value} onChange={event => onChange(event.currentTarget.value)} />
    </label>
  );
}

/** An actor of the address that is no token any more. */
function withOwn(choices: Choices, actor: string): Choices {
  return choices.some(([id]) => id === actor) ? choices : [...choices, [actor, actor]];
}

async function readActors({ api, can }: App): Promise<Choices> {
  const tokens = can('tokens:read')
    ? await readAll(query => api.client.GET('/v0/tokens', { params: { query } }), 500)
    : [];
  return [['', 'all'], ['operator', 'the operator'], ...tokens.map(({ id, name }) => [id, name] as const)];
}

function queryOf({ actor, resource, action, subject, from, to }: AuditFilter) {
  const given = { actor, resource, action, subject, from: dayStart(from), to: dayEnd(to) };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
}

function readPage(
  { api }: App,
  path: AuditOfProps['path'],
  filter: AuditFilter,
  cursor: string | null,
): Promise<List<AuditEntry>> {
  const query = { ...queryOf(filter), limit: pageLimit, ...(cursor === null ? {} : { cursor }) };
  return read(api.client.GET(path, { params: { query } }));
}

function mergeNewest(before: List<AuditEntry> | null, newest: List<AuditEntry>): List<AuditEntry> {
  const ids = new Set(newest.data.map(({ id }) => id));
  const kept = before?.data.filter(({ id }) => !ids.has(id)) ?? [];
  if (before === null || kept.length === 0) return newest;
  return { data: [...newest.data, ...kept], pagination: before.pagination };
}
