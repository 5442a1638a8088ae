import { useState } from 'preact/hooks';
import { Badge } from '../../kit/badge.tsx';
import { impactLabel, presentation } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { Ago, At } from '../../kit/time.tsx';
import { read } from '../../session/api.ts';
import type { Component, Incident as IncidentData } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { Changes } from './changes.tsx';
import { Deliveries } from './deliveries.tsx';
import { Details } from './details.tsx';
import { Impact } from './impact.tsx';
import { Postmortem } from './postmortem.tsx';
import { ResolveDialog } from './resolve-dialog.tsx';
import { PostUpdate, Updates } from './updates.tsx';

type Loaded = { incident: IncidentData; components: readonly Component[] };

export function Incident({ id }: { id: string }) {
  const app = useApp();
  const load = useLoad<Loaded>(id, previous => readIncident(app, id, previous), 4000);
  const incident = load.value?.incident;
  const onChange = (changed: IncidentData): void => {
    if (load.value !== null) load.set({ ...load.value, incident: changed });
    void load.refresh();
  };
  const canWrite = app.can('incidents:write');
  const [isResolving, setResolving] = useState(false);
  const canResolve = canWrite && incident !== undefined && incident.state !== 'resolved';
  return (
    <Page
      title={incident?.title ?? 'Incident'}
      crumbs={[{ label: 'Incidents', address: '#/incidents' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        canResolve && (
          <button type="button" onClick={() => setResolving(true)}>
            Resolve…
          </button>
        )
      }
    >
      {load.value !== null && (
        <div class="columns room">
          <div class="column">
            {canWrite && <PostUpdate {...load.value} onChange={onChange} />}
            <Updates incident={load.value.incident} canWrite={canWrite} onChange={onChange} />
            <Deliveries incidentId={id} />
          </div>
          <div class="column">
            <Head {...load.value} />
            {canWrite && <Details {...load.value} onChange={onChange} />}
            {/* It grows once it is loaded: below what can be pressed, it moves nothing away from the pointer. */}
            <Impact incident={load.value.incident} />
            <Changes incident={load.value.incident} />
          </div>
        </div>
      )}
      {load.value !== null && canWrite && <Postmortem {...load.value} onChange={onChange} />}
      {load.value !== null && isResolving && (
        <ResolveDialog {...load.value} onChange={onChange} close={() => setResolving(false)} />
      )}
    </Page>
  );
}

async function readIncident({ api, can }: App, id: string, previous: Loaded | null): Promise<Loaded> {
  const incident = await read(api.client.GET('/v0/incidents/{id}', { params: { path: { id } } }));
  if (previous !== null || !can('components:read')) return { incident, components: previous?.components ?? [] };
  const query = { status_page_id: incident.status_page_id };
  const components = await readAll(page =>
    api.client.GET('/v0/components', { params: { query: { ...query, ...page } } }),
  );
  return { incident, components };
}

function Head({ incident, components }: Loaded) {
  const state = presentation('incidents', incident.state);
  const { started_at, resolved_at, alert_id, url } = incident;
  return (
    <section class={`card ${state.tone}`}>
      <div class="state">
        <Badge state={state} />
        <Badge state={presentation('severities', incident.severity)} />
        <span>{impactLabel(incident.impact)}</span>
      </div>
      <p>
        Started <At at={started_at} />, <Ago at={started_at} />
      </p>
      {resolved_at !== null && (
        <p>
          Resolved <At at={resolved_at} />
        </p>
      )}
      <p>{describeAffected(incident, components)}</p>
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          Public page
        </a>
        {alert_id !== null && (
          <>
            {' · '}
            <a href={`#/alerts/${alert_id}`}>Source alert</a>
          </>
        )}
      </p>
    </section>
  );
}

/** By name, or by id for components that the token may not read. */
function describeAffected({ affected_components }: IncidentData, components: readonly Component[]): string {
  const names = new Map(components.map(({ id, name }) => [id, name]));
  if (affected_components.length === 0) return 'No components affected.';
  return `Affects ${affected_components.map(id => names.get(id) ?? id).join(', ')}.`;
}
