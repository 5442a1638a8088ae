import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton } from '../../kit/button.tsx';
import { Filter } from '../../kit/form/filter.tsx';
import { alertKindChoices, type Choices, severityFilterChoices } from '../../kit/labels.ts';
import { later } from '../../kit/later.tsx';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { ProblemNote } from '../../kit/problem.tsx';
import { SectionLinks } from '../../kit/section-links.tsx';
import { useAction } from '../../session/action.ts';
import { type Api, type List, read } from '../../session/api.ts';
import type { Alert, AlertGroup } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { choicesOf, given } from '../../session/given.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { readAll } from '../../session/read-all.ts';
import { alertTabs } from '../notices/tabs.ts';
import { AlertActions } from './actions.tsx';
import { AlertRow } from './alert-row.tsx';
import { AlertCauses } from './cause-groups.tsx';
import { alertsByCause } from './causes.ts';
import { type AlertLists, describeOpened, isNotifying, mergeAlerts } from './lists.ts';
import { Selection } from './selection.tsx';

const PromoteDialog = later(
  () => import('../publishing.ts'),
  views => views.PromoteDialog,
  null,
);
const pageLimit = 50;
const groupsMax = 50;
const noAlerts: AlertLists = { unresolved: [], resolved: [], cursor: null };
const kindChoices: Choices = [['', 'all'], ...alertKindChoices];
type AlertFilter = { severity: string; kind: string };

export function Alerts() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const filter = { severity: query.get('severity') ?? '', kind: query.get('kind') ?? '' };
  const load = useLoad<AlertLists>(JSON.stringify(filter), previous => readAlerts(app.api, filter, previous), 4000, [
    'alerts',
  ]);
  const groups = useGroups(load.value?.unresolved ?? []);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const older = useAction();
  const [promoted, setPromoted] = useState<Alert | null>(null);
  const lists = load.value ?? noAlerts;
  useAnnounced(lists, load.value !== null, app.announce);

  const change = (alert: Alert) => {
    load.set({ ...lists, unresolved: lists.unresolved.map(known => (known.id === alert.id ? alert : known)) });
    void load.refresh();
  };
  const loadOlder = async (): Promise<void> => {
    const { data, pagination } = await readResolved(app.api, filter, lists.cursor);
    load.set({ ...lists, resolved: [...lists.resolved, ...data], cursor: pagination.next_cursor });
  };
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const select = ({ id, title, state }: Alert) =>
    app.can('alerts:write') &&
    state === 'open' && (
      <input
        type="checkbox"
        class="pick-alert"
        aria-label={`Select ${title}`}
        checked={selected.has(id)}
        onChange={() => toggle(id)}
      />
    );
  const chosen = lists.unresolved.filter(({ id }) => selected.has(id));
  const row = (alert: Alert) => (
    <AlertRow key={alert.id} alert={alert} select={select(alert)}>
      <AlertActions alert={alert} promote={setPromoted} onChange={change} />
    </AlertRow>
  );
  return (
    <Page title="Alerts" freshness={load.freshness} refresh={load.refresh}>
      {promoted !== null && <PromoteDialog alert={promoted} close={() => setPromoted(null)} />}
      <SectionLinks label="Alerts and notices" links={alertTabs} />
      <div class="filters">
        <Filter
          label="Severity"
          value={filter.severity}
          choices={severityFilterChoices}
          onChange={severity => setQuery({ severity })}
        />
        <Filter label="Kind" value={filter.kind} choices={kindChoices} onChange={kind => setQuery({ kind })} />
        <AcknowledgeAll alerts={lists.unresolved} refresh={load.refresh} />
      </div>
      <Lists lists={lists} groups={groups} row={row} refresh={load.refresh} />
      {chosen.length > 0 && <Selection alerts={chosen} clear={() => setSelected(new Set())} refresh={load.refresh} />}
      {lists.cursor !== null && (
        <ActionButton action={older} work={loadOlder}>
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </Page>
  );
}

async function readAlerts(api: Api, filter: AlertFilter, previous: AlertLists | null): Promise<AlertLists> {
  const unresolved = { state: ['open' as const, 'acknowledged' as const] };
  const [waiting, newest] = await Promise.all([
    readAll(page =>
      api.client.GET('/v0/alerts', { params: { query: { ...unresolved, ...queryOf(filter), ...page } } }),
    ),
    readResolved(api, filter, null),
  ]);
  return mergeAlerts(previous ?? noAlerts, waiting, newest);
}

function readResolved(api: Api, filter: AlertFilter, cursor: string | null): Promise<List<Alert>> {
  const query = { state: ['resolved' as const], ...queryOf(filter), limit: pageLimit, ...given({ cursor }) };
  return read(api.client.GET('/v0/alerts', { params: { query } }));
}

function queryOf({ severity, kind }: AlertFilter) {
  return given({ severity: choicesOf<Alert['severity']>(severity), kind: choicesOf<Alert['kind']>(kind) });
}

/** The groups of alerts that share one, read again when there are others. */
function useGroups(alerts: readonly Alert[]): readonly AlertGroup[] {
  const { api } = useApp();
  const ids = alerts.flatMap(({ group_id }) => group_id ?? []);
  const shared = [...new Set(ids.filter((id, index) => ids.indexOf(id) < index))].sort().slice(0, groupsMax);
  const load = useLoad(
    shared.join(),
    async () =>
      Promise.all(shared.map(id => read(api.client.GET('/v0/alert-groups/{id}', { params: { path: { id } } })))),
    60_000,
  );
  return load.value ?? [];
}

/** Announces alerts that open while the list is shown. */
function useAnnounced({ unresolved }: AlertLists, isLoaded: boolean, announce: (text: string) => void): void {
  const before = useRef<readonly Alert[] | null>(null);
  useEffect(() => {
    const text = before.current === null ? null : describeOpened(before.current, unresolved);
    if (text !== null) announce(text);
    before.current = isLoaded ? unresolved : null;
  }, [unresolved, isLoaded]);
}

function AcknowledgeAll({ alerts, refresh }: { alerts: readonly Alert[]; refresh(): Promise<void> }) {
  const app = useApp();
  const action = useAction();
  // Not those that are held: nobody would be notified when their maintenance ends.
  const open = alerts.filter(isNotifying);
  if (open.length < 2 || !app.can('alerts:write')) return null;
  const acknowledge = async (): Promise<void> => {
    await Promise.all(
      open.map(({ id }) => app.api.client.POST('/v0/alerts/{id}/acknowledge', { params: { path: { id } } })),
    );
    app.announce(`${plural(open.length, 'alert')} acknowledged`);
    await refresh();
  };
  return (
    <>
      <ActionButton action={action} work={acknowledge} class="end">
        Acknowledge all {open.length}
      </ActionButton>
      <ProblemNote problem={action.problem} />
    </>
  );
}

type ListsProps = {
  lists: AlertLists;
  groups: readonly AlertGroup[];
  row(alert: Alert): preact.JSX.Element;
  refresh(): Promise<void>;
};

function Lists({ lists, groups, row, refresh }: ListsProps) {
  const openCount = lists.unresolved.filter(isNotifying).length;
  const heldCount = lists.unresolved.filter(({ held }) => held).length;
  return (
    <>
      <h2>
        {openCount === 0 ? 'No open alerts' : plural(openCount, 'open alert')}
        {heldCount > 0 && `, ${heldCount} held during maintenance`}
      </h2>
      {lists.unresolved.length === 0 && (
        <p class="hint">An alert opens when a quorum of regions reports that a monitor is down.</p>
      )}
      <AlertCauses causes={alertsByCause(lists.unresolved, groups)} row={row} refresh={refresh} />
      {lists.resolved.length > 0 && <h2>Resolved</h2>}
      <ul class="cards">{lists.resolved.map(row)}</ul>
    </>
  );
}
