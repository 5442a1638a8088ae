import { useEffect, useRef } from 'preact/hooks';
import { Page } from '../../kit/page.tsx';
import { UptimeBars } from '../../kit/plot/bars.tsx';
import { dateBefore, daysOf, daysShown } from '../../kit/plot/days.ts';
import { read } from '../../session/api.ts';
import type { Alert, Monitor as MonitorData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { AlertRow } from '../alerts/alert-row.tsx';
import { MonitorActions } from './actions.tsx';
import { Certificate, ClientCertificate } from './certificate.tsx';
import { Checks } from './checks/checks.tsx';
import { Configuration } from './configuration.tsx';
import { Figures } from './figures.tsx';
import { Head } from './head.tsx';
import { Heartbeat } from './heartbeat.tsx';
import { History } from './history/history.tsx';
import { describeStatus } from './list/monitor-list.ts';
import { Published } from './published.tsx';
import { Versions } from './versions.tsx';

type Loaded = { monitor: MonitorData; alerts: readonly Alert[] };
const alertsShown = 10;

export function Monitor({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad<Loaded>(id, () => readMonitor(app, id), 4000);
  const history = useLoad(id, () => readDays(app, id), 60_000);
  const monitor = load.value?.monitor;
  const status = useRef<string | null>(null);
  useEffect(() => {
    if (monitor === undefined) return;
    if (status.current !== null && status.current !== monitor.status) {
      app.announce(describeStatus(monitor));
      void history.refresh();
    }
    status.current = monitor.status;
  }, [monitor?.status]);
  const change = (changed: MonitorData): void => {
    if (load.value !== null) load.set({ ...load.value, monitor: changed });
    void load.refresh();
  };
  const days = history.value ?? null;
  return (
    <Page
      title={monitor?.name ?? 'Monitor'}
      crumbs={[{ label: 'Monitors', address: '#/monitors' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      managedBy={monitor?.managed_by}
      actions={
        monitor !== undefined && app.can('monitors:write') && <MonitorActions monitor={monitor} onChange={change} />
      }
    >
      {monitor !== undefined && (
        <>
          <Head monitor={monitor} />
          <Heartbeat monitor={monitor} onChange={change} />
          <Figures days={days} />
          <section class="card">
            <h2>90 days</h2>
            {days === null ? <div class="bone" /> : <UptimeBars days={days} />}
          </section>
          <History monitor={monitor} alerts={load.value?.alerts ?? []} />
          <div class="columns">
            <Configuration monitor={monitor} />
            <div class="column">
              {app.can('alerts:read') && <Alerts alerts={load.value?.alerts ?? []} />}
              <Certificate monitor={monitor} />
              <ClientCertificate shown={monitor.egress?.client_certificate ?? null} />
            </div>
          </div>
          <Checks monitor={monitor} />
          {days !== null && (
            <div class="columns">
              <Versions monitorId={id} current={monitor.updated_at} />
              <Published monitor={monitor} />
            </div>
          )}
        </>
      )}
    </Page>
  );
}

async function readMonitor({ api, can }: App, id: string): Promise<Loaded> {
  const query = { monitor_id: id, limit: alertsShown };
  const [monitor, alerts] = await Promise.all([
    read(api.client.GET('/v0/monitors/{id}', { params: { path: { id } } })),
    can('alerts:read') ? read(api.client.GET('/v0/alerts', { params: { query } })) : { data: [] },
  ]);
  return { monitor, alerts: alerts.data };
}

async function readDays({ api }: App, id: string) {
  const query = { granularity: 'day' as const, from: dateBefore(api.nowMs(), daysShown - 1) };
  const { data } = await read(api.client.GET('/v0/monitors/{id}/uptime', { params: { path: { id }, query } }));
  return daysOf(data, api.nowMs());
}

function Alerts({ alerts }: { alerts: readonly Alert[] }) {
  return (
    <section class="card">
      <h2>Alerts</h2>
      {alerts.length === 0 && <p class="hint">No alerts yet.</p>}
      <ul class="cards">
        {alerts.map(alert => (
          <AlertRow key={alert.id} alert={alert} />
        ))}
      </ul>
    </section>
  );
}
