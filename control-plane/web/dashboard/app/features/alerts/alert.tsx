import { useEffect, useRef, useState } from 'preact/hooks';
import { describeFailure } from '#shared/checks/failure-words.ts';
import { Badge } from '../../kit/badge.tsx';
import { alertPresentation, presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { Ago, At, Lasted } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Alert as AlertData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { PromoteDialog } from '../incidents/promote-dialog.tsx';
import { AlertActions } from './actions.tsx';
import { Notified, Together } from './together.tsx';
import { Why } from './why.tsx';
import { describeHold } from './words.ts';

type Loaded = { alert: AlertData; monitorName: string; earlier: readonly AlertData[] };
const earlierMax = 6;

export function Alert({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad<Loaded>(id, previous => readAlert(app, id, previous), 4000);
  const [isPromoting, setPromoting] = useState(false);
  const alert = load.value?.alert;
  const state = useRef<string | null>(null);
  useEffect(() => {
    if (alert === undefined) return;
    if (state.current !== null && state.current !== alert.state) app.announce(`${alert.title}: ${alert.state}`);
    state.current = alert.state;
  }, [alert?.state]);
  return (
    <Page
      title={alert?.title ?? 'Alert'}
      crumbs={[{ label: 'Alerts', address: '#/alerts' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        alert !== undefined && (
          <AlertActions
            alert={alert}
            promote={() => setPromoting(true)}
            onChange={changed => load.value !== null && load.set({ ...load.value, alert: changed })}
          />
        )
      }
    >
      {isPromoting && alert !== undefined && <PromoteDialog alert={alert} close={() => setPromoting(false)} />}
      {load.value !== null && <Content {...load.value} />}
    </Page>
  );
}

async function readAlert(app: App, id: string, previous: Loaded | null): Promise<Loaded> {
  const alert = await read(app.api.client.GET('/v0/alerts/{id}', { params: { path: { id } } }));
  const [monitorName, earlier] = await Promise.all([
    previous?.monitorName ?? readMonitorName(app, alert.monitor_id),
    previous?.earlier ?? readEarlier(app, alert),
  ]);
  return { alert, monitorName, earlier };
}

/** The id instead of the name if the monitor was deleted or the token may not read it. */
async function readMonitorName({ api, can }: App, monitorId: string): Promise<string> {
  if (!can('monitors:read')) return monitorId;
  return read(api.client.GET('/v0/monitors/{id}', { params: { path: { id: monitorId } } })).then(
    ({ name }) => name,
    () => monitorId,
  );
}

async function readEarlier({ api }: App, alert: AlertData): Promise<readonly AlertData[]> {
  const query = { monitor_id: alert.monitor_id, limit: earlierMax };
  const { data } = await read(api.client.GET('/v0/alerts', { params: { query } }));
  return data.filter(({ id }) => id !== alert.id);
}

function Content({ alert, monitorName, earlier }: Loaded) {
  const state = alertPresentation(alert);
  const hold = describeHold(alert);
  return (
    <div class="columns">
      <section class={`card ${state.tone}`}>
        <div class="state">
          <Badge state={state} />
          <Badge state={presentation('severities', alert.severity)} />
          <Badge state={presentation('alert kinds', alert.kind)} />
        </div>
        {hold !== null && <p>{hold}.</p>}
        <Facts alert={alert} monitorName={monitorName} />
      </section>
      <div class="column">
        <Timeline alert={alert} />
        <Why alert={alert} />
        <Together alert={alert} />
        <Earlier alerts={earlier} />
      </div>
      <div class="all-columns">
        <Notified alert={alert} />
      </div>
    </div>
  );
}

function Facts({ alert, monitorName }: { alert: AlertData; monitorName: string }) {
  const { reason, regions, regions_failing, quorum } = alert;
  return (
    <dl class="facts">
      <dt>Reason</dt>
      <dd>
        {reason.summary}
        {reason.region !== null && ` (reported by ${reason.region})`}
      </dd>
      {reason.expected !== null && (
        <>
          <dt>Expected</dt>
          <dd>
            <code>{reason.expected}</code>
          </dd>
          <dt>Actual</dt>
          <dd>
            <code>{reason.actual ?? 'nothing'}</code>
          </dd>
        </>
      )}
      {reason.status_code !== null && (
        <>
          <dt>Status code</dt>
          <dd>{reason.status_code}</dd>
        </>
      )}
      {reason.error_code !== null && (
        <>
          <dt>Error</dt>
          <dd>
            {describeFailure(reason.error_code)} <code>{reason.error_code}</code>
          </dd>
        </>
      )}
      {alert.kind !== 'domain' && (
        <>
          <dt>{alert.kind === 'down' ? 'Failing regions' : 'Warning or failing regions'}</dt>
          <dd>
            {regions_failing.join(', ')} (of {regions.join(', ')}; quorum {quorum})
          </dd>
        </>
      )}
      <dt>Monitor</dt>
      <dd>
        <a href={`#/monitors/${alert.monitor_id}`}>{monitorName}</a>
      </dd>
      {alert.acknowledged_by !== null && (
        <>
          <dt>Acknowledged by</dt>
          <dd>{alert.acknowledged_by.name}</dd>
        </>
      )}
      {alert.superseded_by !== null && (
        <>
          <dt>Replaced by</dt>
          <dd>
            <a href={`#/alerts/${alert.superseded_by}`}>the alert that it is down</a>
          </dd>
        </>
      )}
    </dl>
  );
}

function Timeline({ alert }: { alert: AlertData }) {
  const moments: [string, string | null][] = [
    ['Started', alert.started_at],
    ['Opened', alert.opened_at > alert.started_at ? alert.opened_at : null],
    ['Held', alert.held_since],
    ['Released', alert.released_at],
    ['Flapping', alert.flapping_since],
    ['Last seen', alert.last_seen_at],
    ['Acknowledged', alert.acknowledged_at],
    ['Escalated', alert.escalated_at],
    ['Resolved', alert.resolved_at],
  ];
  return (
    <section class="card">
      <h2>Timeline</h2>
      <dl class="facts">
        {moments.map(
          ([name, at]) =>
            at !== null && [
              <dt key={`${name} name`}>{name}</dt>,
              <dd key={name}>
                <At at={at} />, <Ago at={at} />
              </dd>,
            ],
        )}
      </dl>
    </section>
  );
}

function Earlier({ alerts }: { alerts: readonly AlertData[] }) {
  return (
    <section class="card">
      <h2>Earlier alerts of this monitor</h2>
      {alerts.length === 0 && <p class="hint">None.</p>}
      <ul class="lines">
        {alerts.map(alert => (
          <li key={alert.id}>
            <Badge state={alertPresentation(alert)} />
            <a href={`#/alerts/${alert.id}`}>{alert.reason.summary}</a>
            <span class="hint">
              <Lasted started_at={alert.started_at} resolved_at={alert.resolved_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
