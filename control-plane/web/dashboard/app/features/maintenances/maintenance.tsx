import { Badge } from '../../kit/badge.tsx';
import { presentation } from '../../kit/labels.ts';
import { Markdown } from '../../kit/markdown.tsx';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { read } from '../../session/api.ts';
import type { Component, Maintenance as MaintenanceData, Named } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { Deliveries } from '../channels/deliveries.tsx';
import { MaintenanceActions } from './actions.tsx';
import { describeSchedule, When } from './maintenance-row.tsx';
import { Occurrences } from './occurrences.tsx';
import { PostUpdate, Updates } from './updates.tsx';

type Loaded = { maintenance: MaintenanceData; components: readonly Component[]; pages: readonly Named[] };

/** One maintenance window: what it covers and does, its occurrences, updates and deliveries. */
export function Maintenance({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad<Loaded>(id, previous => readWindow(app, id, previous), 4000, ['maintenances']);
  const { client } = app.api;
  const loaded = load.value;
  const canWrite = app.can('maintenances:write');
  const onChange = (maintenance: MaintenanceData): void => {
    if (loaded !== null) load.set({ ...loaded, maintenance });
    void load.refresh();
  };
  return (
    <Page
      title={loaded?.maintenance.title ?? 'Maintenance window'}
      crumbs={[{ label: 'Maintenance', address: '#/maintenance' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      managedBy={loaded?.maintenance.managed_by}
      actions={
        loaded !== null &&
        canWrite && <MaintenanceActions key={id} maintenance={loaded.maintenance} onChange={onChange} />
      }
    >
      {loaded !== null && (
        <div class="columns room">
          <div class="column">
            <Head maintenance={loaded.maintenance} />
            {canWrite && loaded.maintenance.announced && (
              <PostUpdate maintenance={loaded.maintenance} onChange={onChange} />
            )}
            <Updates maintenance={loaded.maintenance} canWrite={canWrite} onChange={onChange} />
          </div>
          <div class="column">
            <Scope {...loaded} />
            <Occurrences maintenance={loaded.maintenance} onChange={canWrite ? onChange : null} />
          </div>
          <div class="all-columns">
            <Deliveries
              id={id}
              list={query => read(client.GET('/v0/maintenances/{id}/deliveries', { params: { path: { id }, query } }))}
              empty="Nobody has been notified of this window."
            />
          </div>
        </div>
      )}
    </Page>
  );
}

async function readWindow({ api, can }: App, id: string, previous: Loaded | null): Promise<Loaded> {
  const [maintenance, components, pages] = await Promise.all([
    read(api.client.GET('/v0/maintenances/{id}', { params: { path: { id } } })),
    previous?.components ??
      (can('components:read') ? readAll(query => api.client.GET('/v0/components', { params: { query } })) : []),
    previous?.pages ??
      (can('status-pages:read') ? readAll(query => api.client.GET('/v0/status-pages', { params: { query } })) : []),
  ]);
  return { maintenance, components, pages };
}

function Head({ maintenance }: { maintenance: MaintenanceData }) {
  const { state, description, announced, alerts, exclude_from_uptime, settle_seconds } = maintenance;
  const look = presentation('maintenances', state);
  const schedule = describeSchedule(maintenance);
  return (
    <section class={`card ${state === 'in_progress' ? look.tone : ''}`}>
      <div class="state">
        <Badge state={look} />
        <strong class="window-times">
          <When maintenance={maintenance} />
        </strong>
      </div>
      {schedule !== null && <p>{schedule}.</p>}
      {description !== '' && (
        <div class="markdown">
          <Markdown text={description} />
        </div>
      )}
      <dl class="facts">
        <dt>Alerts</dt>
        <dd>
          {alerts === 'hold'
            ? `Held. Those still open ${plural(settle_seconds, 'second')} after the end are sent then.`
            : 'Sent as usual.'}
        </dd>
        <dt>Uptime</dt>
        <dd>{exclude_from_uptime ? 'Does not count' : 'Counts'}</dd>
        <dt>Status pages</dt>
        <dd>{announced ? describeAnnouncement(maintenance) : 'Not announced'}</dd>
      </dl>
    </section>
  );
}

function describeAnnouncement({ announce_before_hours, notify }: MaintenanceData): string {
  const shown = `Shown from ${plural(announce_before_hours, 'hour')} before the start.`;
  return notify.length === 0
    ? `${shown} Subscribers are not notified.`
    : `${shown} Subscribers are notified of: ${notify.join(', ')}.`;
}

function Scope({ maintenance: { scope, matched_monitors }, components, pages }: Loaded) {
  const namesOf = (ids: readonly string[], known: readonly Named[]) =>
    ids.map(each => known.find(item => item.id === each)?.name ?? each).join(', ');
  return (
    <section class="card">
      <h2>Scope</h2>
      <p>{plural(matched_monitors, 'monitor')} now.</p>
      <dl class="facts">
        {scope.selector !== null && (
          <>
            <dt>Selector</dt>
            <dd>
              <code>{scope.selector}</code>
            </dd>
          </>
        )}
        {scope.monitor_ids.length > 0 && (
          <>
            <dt>Monitors</dt>
            <dd>
              <MonitorLinks ids={scope.monitor_ids} />
            </dd>
          </>
        )}
        {scope.component_ids.length > 0 && (
          <>
            <dt>Components</dt>
            <dd>{namesOf(scope.component_ids, components)}</dd>
          </>
        )}
        {scope.status_page_ids.length > 0 && (
          <>
            <dt>Status pages</dt>
            <dd>{namesOf(scope.status_page_ids, pages)}</dd>
          </>
        )}
      </dl>
    </section>
  );
}

const linksMax = 12;

function MonitorLinks({ ids }: { ids: readonly string[] }) {
  const { api, can } = useApp();
  const query = { selector: `@id in (${ids.slice(0, linksMax).join(', ')})`, limit: linksMax };
  const load = useLoad(
    ids.join(),
    async () => (can('monitors:read') ? (await read(api.client.GET('/v0/monitors', { params: { query } }))).data : []),
    300_000,
  );
  const names = new Map(load.value?.map(({ id, name }) => [id, name]));
  return (
    <ul class="names">
      {ids.slice(0, linksMax).map(id => (
        <li key={id}>
          <a href={`#/monitors/${id}`}>{names.get(id) ?? id}</a>
        </li>
      ))}
      {ids.length > linksMax && <li class="hint">and {ids.length - linksMax} more</li>}
    </ul>
  );
}
