import { Badge } from '../../kit/badge.tsx';
import { monitorPresentation, presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { Lasted, Since } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Alert, Incident, Monitor, Overview as OverviewData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { AlertRow } from '../alerts/alert-row.tsx';
import { byUrgency } from '../alerts/lists.ts';
import { statusesByUrgency } from '../monitors/list/monitor-list.ts';
import { VoteDots } from '../monitors/votes.tsx';
import { OpenNotices } from '../notices/open-notices.tsx';
import { AtAGlance } from './at-a-glance.tsx';
import { LastChanges } from './changes.tsx';
import { ComingMaintenance } from './coming.tsx';
import { Regions } from './regions.tsx';
import { Verdict } from './verdict.tsx';

type Loaded = {
  overview: OverviewData;
  alerts: readonly Alert[];
  incidents: readonly Incident[];
  /** Neither up nor paused, the most urgent first, and those in maintenance last. */
  monitors: readonly Monitor[];
};
const shownMax = 8;
const openAlerts = { state: ['open' as const], held: 'false' as const, limit: 50 };
const unresolved = { state: ['investigating' as const, 'identified' as const, 'monitoring' as const], limit: shownMax };
const notUp = { status: ['down' as const, 'degraded' as const, 'undetermined' as const], limit: 200 };
const topics = ['monitors', 'alerts', 'incidents', 'maintenances', 'agents'] as const;

/** Is all well; and if not, what is wrong, since when and why. */
export function Overview() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readAll(app), 4000, topics);
  const wall = app.can('walls:read') && (
    <a class="button" href="#/wall">
      Wall
    </a>
  );
  return (
    <Page title="Overview" freshness={load.freshness} refresh={load.refresh} actions={wall || undefined}>
      {load.value !== null && <Content {...load.value} />}
    </Page>
  );
}

async function readAll({ api: { client }, can }: App): Promise<Loaded> {
  const [overview, alerts, incidents, monitors] = await Promise.all([
    read(client.GET('/v0/overview')),
    can('alerts:read') ? read(client.GET('/v0/alerts', { params: { query: openAlerts } })) : { data: [] },
    can('incidents:read') ? read(client.GET('/v0/incidents', { params: { query: unresolved } })) : { data: [] },
    read(client.GET('/v0/monitors', { params: { query: notUp } })),
  ]);
  return { overview, alerts: alerts.data, incidents: incidents.data, monitors: monitors.data.sort(byStatus) };
}

function byStatus(left: Monitor, right: Monitor): number {
  return (
    Number(left.maintenance !== null) - Number(right.maintenance !== null) ||
    statusesByUrgency.indexOf(left.status) - statusesByUrgency.indexOf(right.status)
  );
}

function Content({ overview, alerts, incidents, monitors }: Loaded) {
  const { can } = useApp();
  return (
    <>
      <Verdict overview={overview} />
      <Regions regions={overview.regions} />
      <OpenNotices />
      <div class="columns room">
        <div class="column">
          {overview.alerts !== null && <Alerts alerts={alerts} {...overview.alerts} />}
          {monitors.length === 0 ? <AtAGlance /> : <Troubled monitors={monitors} />}
        </div>
        <div class="column">
          {overview.incidents !== null && <Incidents incidents={incidents} />}
          {can('maintenances:read') && <ComingMaintenance />}
          {can('audit:read') && <LastChanges />}
        </div>
      </div>
    </>
  );
}

function Alerts({ alerts, open, held }: { alerts: readonly Alert[]; open: number; held: number }) {
  return (
    <section class="card">
      <h2>Open alerts</h2>
      {alerts.length === 0 && <p class="hint">None. Nothing needs your attention.</p>}
      <ul class="cards">
        {alerts
          .toSorted(byUrgency)
          .slice(0, shownMax)
          .map(alert => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
      </ul>
      {open > shownMax && (
        <p>
          <a href="#/alerts">All {open} open alerts</a>
        </p>
      )}
      {held > 0 && (
        <p>
          <a href="#/alerts">{plural(held, 'alert')} held during maintenance</a>
        </p>
      )}
    </section>
  );
}

function Troubled({ monitors }: { monitors: readonly Monitor[] }) {
  return (
    <section class="card">
      <h2>Monitors with problems</h2>
      <ul class="lines">
        {monitors.slice(0, shownMax).map(({ id, name, status, status_since, votes, maintenance }) => (
          <li key={id} data-row>
            <Badge state={monitorPresentation({ status, maintenance })} />
            <a class="name" href={`#/monitors/${id}`}>
              {name}
            </a>
            {maintenance !== null && <Badge state={presentation('planned', 'maintenance')} />}
            <VoteDots votes={votes} />
            <span class="hint end">
              for <Since at={status_since} />
            </span>
          </li>
        ))}
      </ul>
      {monitors.length > shownMax && (
        <p>
          <a href="#/monitors">{plural(monitors.length - shownMax, 'more monitor')}</a>
        </p>
      )}
    </section>
  );
}

function Incidents({ incidents }: { incidents: readonly Incident[] }) {
  return (
    <section class="card">
      <h2>Unresolved incidents</h2>
      {incidents.length === 0 && <p class="hint">None.</p>}
      <ul class="lines">
        {incidents.map(({ id, title, state, started_at, resolved_at }) => (
          <li key={id} data-row>
            <Badge state={presentation('incidents', state)} />
            <a class="name" href={`#/incidents/${id}`}>
              {title}
            </a>
            <span class="hint">
              <Lasted started_at={started_at} resolved_at={resolved_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
