import { useEffect, useState } from 'preact/hooks';
import { Badge } from '../../../kit/badge.tsx';
import { ActionButton } from '../../../kit/button.tsx';
import { ConfirmDialog } from '../../../kit/dialog/confirm-dialog.tsx';
import { Filter } from '../../../kit/form/filter.tsx';
import type { LabelledPresentation } from '../../../kit/labels.ts';
import { Skeleton } from '../../../kit/page.tsx';
import { plural } from '../../../kit/plural.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { Ago } from '../../../kit/time.tsx';
import { useAction } from '../../../session/action.ts';
import type { Component, StatusPage, Subscriber } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { AddSubscriber } from './add-subscriber.tsx';
import { ImportSubscribers } from './import-subscribers.tsx';
import { subscribersCsv } from './subscriber-file.ts';

const states: Readonly<Record<Subscriber['state'], LabelledPresentation>> = {
  active: { tone: 'good', glyph: 'check', label: 'Active' },
  pending: { tone: 'quiet', glyph: 'ring', label: 'Not confirmed' },
  unsubscribed: { tone: 'quiet', glyph: 'bars', label: 'Unsubscribed' },
  quarantined: { tone: 'warn', glyph: 'triangle', label: 'Stopped' },
};
const stateChoices = [
  ['', 'all'],
  ...Object.entries(states).map(([state, { label }]) => [state, label] as const),
] as const;
const pageSize = 200;
const exportMax = 200_000;
const columns = ['State', 'Address', 'Gets', 'Consent', 'Since', ''];

type SubscribersProps = { page: StatusPage; components: readonly Component[] };

/** Who is notified of updates of the page. */
export function Subscribers({ page, components }: SubscribersProps) {
  const app = useApp();
  const [max, setMax] = useState(pageSize);
  const [state, setState] = useState('');
  const [removed, setRemoved] = useState<Subscriber | null>(null);
  const load = useLoad<readonly Subscriber[]>(page.id, () => readSubscribers(app, page.id, max), 15_000);
  useEffect(() => {
    if (max > pageSize) void load.refresh();
  }, [max]);
  const canWrite = app.can('subscribers:write');
  const all = load.value ?? [];
  const shown = all.filter(subscriber => state === '' || subscriber.state === state);
  return (
    <>
      {canWrite && (
        <div class="columns">
          <AddSubscriber page={page} components={components} refresh={load.refresh} />
          <ImportSubscribers page={page} refresh={load.refresh} />
        </div>
      )}
      <section class="card">
        <div class="card-head">
          <h2>Subscribers</h2>
          <div class="filters">
            <Filter label="State" value={state} choices={stateChoices} onChange={setState} />
            <Export page={page} />
          </div>
        </div>
        {load.value === null && load.freshness.error === null && <Skeleton rows={3} />}
        {load.value === null && <ProblemNote problem={load.freshness.error} retry={() => void load.refresh()} />}
        {load.value !== null && shown.length === 0 && (
          <p class="empty">
            {all.length === 0
              ? 'Nobody has subscribed yet. Visitors subscribe at the end of the page.'
              : 'None in this state.'}
          </p>
        )}
        {shown.length > 0 && (
          <Table subscribers={shown} components={components} remove={canWrite ? setRemoved : null} />
        )}
        {all.length >= max && (
          <div class="pages">
            <button type="button" onClick={() => setMax(max + pageSize)}>
              Show more
            </button>
          </div>
        )}
      </section>
      {removed !== null && (
        <Remove subscriber={removed} page={page} close={() => setRemoved(null)} refresh={load.refresh} />
      )}
    </>
  );
}

type TableProps = {
  subscribers: readonly Subscriber[];
  components: readonly Component[];
  remove: ((subscriber: Subscriber) => void) | null;
};

function Table({ subscribers, components, remove }: TableProps) {
  return (
    <table>
      <caption class="unseen">Subscribers, newest first</caption>
      <thead>
        <tr>
          {columns.map(name => (
            <th key={name} scope="col">
              {name === '' ? <span class="unseen">Actions</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {subscribers.map(subscriber => (
          <tr key={subscriber.id} data-row>
            <td>
              <Badge state={states[subscriber.state]} />
            </td>
            <td>
              {addressOf(subscriber)}
              {subscriber.failures > 0 && <small> · {plural(subscriber.failures, 'failure')} in a row</small>}
              {subscriber.state_reason !== null && <small> · {subscriber.state_reason}</small>}
            </td>
            <td>{describeComponents(subscriber, components)}</td>
            <td>{subscriber.consent ?? '–'}</td>
            <td data-label="When">
              <Ago at={subscriber.created_at} />
            </td>
            <td>
              {remove !== null && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove ${addressOf(subscriber)}`}
                  onClick={() => remove(subscriber)}
                >
                  Remove…
                </button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function addressOf({ email, url }: Subscriber): string {
  return email ?? url ?? '';
}

function describeComponents({ component_ids: ids }: Subscriber, components: readonly Component[]): string {
  if (ids.length === 0) return 'everything';
  const names = components.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
  return names.length === 0 ? plural(ids.length, 'component') : names.join(', ');
}

function readSubscribers({ api }: App, id: string, max: number): Promise<Subscriber[]> {
  return readAll(
    query => api.client.GET('/v0/status-pages/{id}/subscribers', { params: { path: { id }, query } }),
    max,
  );
}

function Export({ page }: { page: StatusPage }) {
  const app = useApp();
  const action = useAction();
  const save = async (): Promise<void> => {
    const all = await readSubscribers(app, page.id, exportMax);
    download(`subscribers-${page.slug}.csv`, subscribersCsv(all));
    app.announce(`${plural(all.length, 'subscriber')} exported`);
  };
  return (
    <>
      <ActionButton action={action} work={save}>
        {action.running ? 'Exporting…' : 'Export CSV'}
      </ActionButton>
      <ProblemNote problem={action.problem} />
    </>
  );
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

type RemoveProps = { subscriber: Subscriber; page: StatusPage; close(): void; refresh(): Promise<void> };

function Remove({ subscriber, page, close, refresh }: RemoveProps) {
  const app = useApp();
  const work = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/status-pages/{id}/subscribers/{subscriber_id}', {
      params: { path: { id: page.id, subscriber_id: subscriber.id } },
    });
    app.announce(`${addressOf(subscriber)}: removed`);
    await refresh();
    close();
  };
  return (
    <ConfirmDialog title={`Remove ${addressOf(subscriber)}?`} button="Remove subscriber" close={close} work={work}>
      <p>It gets no more notifications, and its address is erased. It can subscribe again.</p>
    </ConfirmDialog>
  );
}
