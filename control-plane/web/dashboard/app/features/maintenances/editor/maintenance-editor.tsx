import { useState } from 'preact/hooks';
import { useForm } from '../../../kit/form/form.tsx';
import { Markdown } from '../../../kit/markdown.tsx';
import { Page } from '../../../kit/page.tsx';
import { read } from '../../../session/api.ts';
import type { Maintenance } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { zoneNameOf } from '../../../session/zoned-time.ts';
import { EffectFields, PublicFields } from './effect-fields.tsx';
import type { Choosable, FieldsProps } from './fields-props.ts';
import {
  copyOfMaintenance,
  draftOfMaintenance,
  type MaintenanceDraft,
  maintenanceBody,
  maintenanceChanges,
  newMaintenance,
} from './maintenance-draft.ts';
import { Preview } from './preview.tsx';
import { ScopeFields } from './scope-fields.tsx';
import { WhenFields } from './when-fields.tsx';

type Loaded = Choosable & { maintenance: Maintenance | null };
/** Plans a window (`id` null; `from` is copied), or changes one. */
export function MaintenanceEditor({ id, from }: { id: string | null; from: string | null }) {
  const app = useApp();
  const load = useLoad(`${id} ${from}`, () => readLoaded(app, id ?? from), 600_000);
  const own = id === null ? null : load.value?.maintenance;
  const crumbs = [{ label: 'Maintenance', address: '#/maintenance' }];
  if (own) crumbs.push({ label: own.title, address: `#/maintenance/${own.id}` });
  return (
    <Page
      title={id === null ? 'New maintenance window' : `Edit ${own?.title ?? 'maintenance window'}`}
      crumbs={crumbs}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      {!app.can('maintenances:write') && <p class="note">You do not have permission to plan maintenance.</p>}
      {app.can('maintenances:write') && load.value !== null && <Editor loaded={load.value} id={id} />}
    </Page>
  );
}

async function readLoaded({ api, can }: App, id: string | null): Promise<Loaded> {
  const { client } = api;
  const [maintenance, monitors, components, pages] = await Promise.all([
    id === null ? null : read(client.GET('/v0/maintenances/{id}', { params: { path: { id } } })),
    can('monitors:read') ? readAll(query => client.GET('/v0/monitors', { params: { query } })) : [],
    can('components:read') ? readAll(query => client.GET('/v0/components', { params: { query } })) : [],
    can('status-pages:read') ? readAll(query => client.GET('/v0/status-pages', { params: { query } })) : [],
  ]);
  return { maintenance, monitors: monitors.map(({ id, name }) => ({ id, name })), components, pages };
}

function startOf({ maintenance }: Loaded, id: string | null, app: App): MaintenanceDraft {
  const timezone = zoneNameOf(app.zone.peek());
  if (maintenance === null) return newMaintenance(app.api.nowMs(), timezone);
  return id === null
    ? copyOfMaintenance(maintenance, app.api.nowMs(), timezone)
    : draftOfMaintenance(maintenance, timezone);
}

function Editor({ loaded, id }: { loaded: Loaded; id: string | null }) {
  const app = useApp();
  const { client } = app.api;
  const [start] = useState(() => startOf(loaded, id, app));
  const form = useForm(`maintenance ${id ?? 'new'} ${loaded.maintenance?.id ?? ''}`, start, async draft => {
    const saved =
      id === null
        ? await read(client.POST('/v0/maintenances', { body: maintenanceBody(draft) }))
        : await read(client.PATCH('/v0/maintenances/{id}', patchOf(id, start, draft)));
    app.announce(`${saved.title}: saved`);
    app.go(`#/maintenance/${saved.id}`);
  });
  return (
    <form.Form label={id === null ? 'New maintenance window' : 'Edit maintenance window'} class="editor with-preview">
      <div class="column">
        <WhatFields form={form} />
        <WhenFields form={form} />
        <ScopeFields form={form} choosable={loaded} />
        <EffectFields form={form} />
        <PublicFields form={form} />
        <form.Footer
          class="sticky"
          submit={id === null ? 'Plan maintenance' : 'Save'}
          cancel={id === null ? '#/maintenance' : `#/maintenance/${id}`}
        />
      </div>
      <Preview draft={form.draft} choosable={loaded} />
    </form.Form>
  );
}

function WhatFields({ form }: FieldsProps) {
  const { description } = form.draft;
  return (
    <section class="card">
      <h2>What happens</h2>
      <form.Line name="title" label="Title" input={{ maxLength: 255, placeholder: 'Database upgrade' }} />
      <form.Lines name="description" label="Description" rows={3} hint="Markdown; public if the window is announced." />
      {description.trim() !== '' && (
        <div class="markdown preview-box" role="region" aria-label="Preview of the description">
          <Markdown text={description} />
        </div>
      )}
    </section>
  );
}

function patchOf(id: string, start: MaintenanceDraft, draft: MaintenanceDraft) {
  const { notify, ...rest } = maintenanceChanges(start, draft);
  return { params: { path: { id } }, body: notify ? { ...rest, notify } : rest };
}
