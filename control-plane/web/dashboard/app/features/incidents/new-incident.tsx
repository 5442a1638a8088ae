import { useForm } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { incidentStateChoices } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { Component, IncidentUpdate, StatusPage } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';
import { detailsBody, type IncidentDetails, IncidentFields } from './details.tsx';

type Loaded = { pages: readonly StatusPage[]; components: readonly Component[] };
type IncidentDraft = IncidentDetails & { status_page_id: string; state: IncidentUpdate['state']; body: string };

export function NewIncident() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readLoaded(app), 30_000);
  const { pages, components } = load.value ?? { pages: [], components: [] };
  return (
    <Page
      title="New incident"
      crumbs={[{ label: 'Incidents', address: '#/incidents' }]}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      {!app.can('incidents:write') && <p class="note">You do not have permission to publish incidents.</p>}
      {app.can('incidents:write') && pages.length === 0 && (
        <p class="note">
          Incidents are published on a status page. <a href="#/status-pages">Create one first.</a>
        </p>
      )}
      {app.can('incidents:write') && pages.length > 0 && <IncidentForm pages={pages} components={components} />}
    </Page>
  );
}

async function readLoaded({ api }: App): Promise<Loaded> {
  const [pages, components] = await Promise.all([
    readAll(query => api.client.GET('/v0/status-pages', { params: { query } })),
    readAll(query => api.client.GET('/v0/components', { params: { query } })),
  ]);
  return { pages, components };
}

function IncidentForm({ pages, components }: Loaded) {
  const form = useForm('new incident', startOn(pages[0]?.id ?? ''), publisher(useApp()));
  const { status_page_id } = form.draft;
  return (
    <form.Form class="card wide" label="New incident">
      <form.Choice
        name="status_page_id"
        label="Status page"
        choices={pages.map(page => [page.id, page.name] as const)}
      />
      <IncidentFields
        form={form}
        components={components.filter(component => component.status_page_id === status_page_id)}
      />
      <form.Choice name="state" label="State" choices={incidentStateChoices} />
      <MarkdownField
        field={form.text('body')}
        label="First update"
        hint="Markdown; published and sent to subscribers. Leave empty to publish no update and notify no one."
        rows={8}
        maxLength={updateLengthMax}
      />
      <form.Footer submit="Publish" cancel="#/incidents" />
    </form.Form>
  );
}

function startOn(status_page_id: string): IncidentDraft {
  const details = { title: '', severity: 'p2', impact: 'partial', affected_components: [] } as const;
  return { ...details, status_page_id, state: 'investigating', body: '' };
}

function publisher({ api, announce, go }: App) {
  return async ({ status_page_id, state, ...draft }: IncidentDraft): Promise<void> => {
    const body = draft.body.trim();
    const update = body === '' ? {} : { initial_update: { state, body } };
    const fields = { ...detailsBody(draft), status_page_id, ...update };
    const incident = await read(api.client.POST('/v0/incidents', { body: fields }));
    announce('Incident published');
    go(`#/incidents/${incident.id}`);
  };
}
