import { useEffect, useRef, useState } from 'preact/hooks';
import { type AlertLists, describeOpened, isTold, mergeAlerts } from '../../data/alert-lists.ts';
import type { Api, List } from '../../data/api.ts';
import type { Alert } from '../../data/api-types.ts';
import { plural } from '../../data/plural.ts';
import { AlertActions } from '../../parts/alert-actions.tsx';
import { AlertRow } from '../../parts/alert-row.tsx';
import { ActionButton } from '../../parts/button.tsx';
import { Filter } from '../../parts/form.tsx';
import { severityFilterChoices } from '../../parts/labels.ts';
import { Page } from '../../parts/page.tsx';
import { ProblemNote } from '../../parts/problem.tsx';
import { PromoteDialog } from '../../parts/promote-dialog.tsx';
import { useAction } from '../../state/action.ts';
import { useApp } from '../../state/app.ts';
import { useLoad } from '../../state/load.ts';
import { useQuery } from '../../state/query.ts';

const pageLimit = 50;
const noAlerts: AlertLists = { unresolved: [], resolved: [], cursor: null };

export function Alerts() {
  const app = useApp();
  const [query, setQuery] = useQuery();
  const severity = query.get('severity') ?? '';
  const load = useLoad<AlertLists>(severity, previous => readAlerts(app.api, severity, previous), 4000);
  const older = useAction();
  const [promoted, setPromoted] = useState<Alert | null>(null);
  const lists = load.value ?? noAlerts;
  useAnnounced(lists, load.value !== null, app.announce);

  const change = (alert: Alert) => {
    load.set({ ...lists, unresolved: lists.unresolved.map(known => (known.id === alert.id ? alert : known)) });
    void load.refresh();
  };
  const loadOlder = async (): Promise<void> => {
    const { data, pagination } = await readResolved(app.api, severity, lists.cursor);
    load.set({ ...lists, resolved: [...lists.resolved, ...data], cursor: pagination.next_cursor });
  };
  const row = (alert: Alert) => (
    <AlertRow key={alert.id} alert={alert}>
      <AlertActions alert={alert} promote={setPromoted} onChange={change} />
    </AlertRow>
  );
  return (
    <Page title="Alerts" freshness={load.freshness} refresh={load.refresh}>
      {promoted !== null && <PromoteDialog alert={promoted} close={() => setPromoted(null)} />}
      <div class="filters">
        <Filter
          label="Severity"
          value={severity}
          choices={severityFilterChoices}
          onChange={value => setQuery({ severity: value })}
        />
        <AcknowledgeAll alerts={lists.unresolved} refresh={load.refresh} />
      </div>
      <Lists lists={lists} row={row} />
      {lists.cursor !== null && (
        <ActionButton action={older} work={loadOlder}>
          Show older
        </ActionButton>
      )}
      <ProblemNote problem={older.problem} />
    </Page>
  );
}

async function readAlerts(api: Api, severity: string, previous: AlertLists | null): Promise<AlertLists> {
  const [unresolved, newest] = await Promise.all([
    api.all<Alert>('/v0/alerts', { state: 'open,acknowledged', severity }),
    readResolved(api, severity, null),
  ]);
  return mergeAlerts(previous ?? noAlerts, unresolved, newest);
}

function readResolved(api: Api, severity: string, cursor: string | null): Promise<List<Alert>> {
  return api.get<List<Alert>>('/v0/alerts', { state: 'resolved', severity, limit: pageLimit, cursor });
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
  // Not those that are held: nobody would be told when their maintenance ends.
  const open = alerts.filter(isTold);
  if (open.length < 2 || !app.can('alerts:write')) return null;
  const acknowledge = async (): Promise<void> => {
    await Promise.all(open.map(({ id }) => app.api.send('POST', `/v0/alerts/${id}/acknowledge`)));
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

function Lists({ lists, row }: { lists: AlertLists; row(alert: Alert): preact.JSX.Element }) {
  const openCount = lists.unresolved.filter(isTold).length;
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
      <ul class="cards">{lists.unresolved.map(row)}</ul>
      {lists.resolved.length > 0 && <h2>Resolved</h2>}
      <ul class="cards">{lists.resolved.map(row)}</ul>
    </>
  );
}
