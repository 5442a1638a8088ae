import { useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { Boxes, Choice, Form, TextField, type Values } from '../../kit/form/form.tsx';
import { MarkdownField } from '../../kit/form/markdown-field.tsx';
import { impactChoices, incidentStateChoices, severityChoices } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { type Action, useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Component, Incident, IncidentUpdate } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { updateLengthMax } from '../updates/edit-update-dialog.tsx';

const fieldsWithErrors = ['status_page_id', 'title', 'severity', 'impact'];

export function NewIncident() {
  const app = useApp();
  const action = useAction();
  const [chosen, setChosen] = useState('');
  const load = useLoad(
    '',
    async () => {
      const [pages, components] = await Promise.all([
        readAll(query => app.api.client.GET('/v0/status-pages', { params: { query } })),
        readAll(query => app.api.client.GET('/v0/components', { params: { query } })),
      ]);
      return { pages, components };
    },
    30_000,
  );
  const { pages, components } = load.value ?? { pages: [], components: [] };
  const pageId = pages.some(({ id }) => id === chosen) ? chosen : (pages[0]?.id ?? '');
  return (
    <Page
      title="New incident"
      crumbs={[{ label: 'Incidents', address: '#/incidents' }]}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      {!app.can('incidents:write') && <p class="note">This token does not have permission to publish incidents.</p>}
      {app.can('incidents:write') && pages.length === 0 && (
        <p class="note">
          Incidents are published on a status page. <a href="#/status-pages">Create one first.</a>
        </p>
      )}
      {app.can('incidents:write') && pages.length > 0 && (
        <Form
          class="card wide"
          label="New incident"
          draft="new incident"
          action={action}
          submit={values => publish(app, pageId, values)}
        >
          <Choice
            label="Status page"
            name="status_page_id"
            action={action}
            value={pageId}
            choices={pages.map(page => [page.id, page.name] as const)}
            onChange={setChosen}
          />
          <Fields action={action} components={components.filter(({ status_page_id }) => status_page_id === pageId)} />
        </Form>
      )}
    </Page>
  );
}

function Fields({ action, components }: { action: Action; components: readonly Component[] }) {
  return (
    <>
      <TextField label="Title" name="title" action={action} input={{ required: true, maxLength: 255 }} />
      <div class="pair">
        <Choice label="Severity" name="severity" action={action} value="p2" choices={severityChoices} />
        <Choice label="Impact" name="impact" action={action} value="partial" choices={impactChoices} />
      </div>
      {components.length > 0 && (
        <Boxes
          legend="Affected components"
          name="affected_components"
          choices={components.map(({ id, name }) => [id, name] as const)}
          checked={[]}
        />
      )}
      <Choice label="State" name="state" action={action} value="investigating" choices={incidentStateChoices} />
      <MarkdownField
        label="First update"
        name="body"
        action={action}
        hint="Markdown; published and sent to subscribers. Leave empty to publish no update and notify no one."
        rows={8}
        maxLength={updateLengthMax}
      />
      <ProblemNote problem={action.problem} fields={fieldsWithErrors} />
      <div class="buttons">
        <SubmitButton action={action}>Publish</SubmitButton>
        <a class="button" href="#/incidents">
          Cancel
        </a>
      </div>
    </>
  );
}

async function publish({ api, announce, go }: App, pageId: string, values: Values): Promise<void> {
  const body = values.text('body');
  const fields = {
    status_page_id: pageId,
    title: values.text('title'),
    severity: values.text('severity') as Incident['severity'],
    impact: values.text('impact') as Incident['impact'],
    affected_components: values.all('affected_components'),
    ...(body === '' ? {} : { initial_update: { state: values.text('state') as IncidentUpdate['state'], body } }),
  };
  const incident = await read(api.client.POST('/v0/incidents', { body: fields }));
  announce('Incident published');
  go(`#/incidents/${incident.id}`);
}
