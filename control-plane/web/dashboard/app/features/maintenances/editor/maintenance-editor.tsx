import { useLayoutEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../../kit/button.tsx';
import { Line, Lines } from '../../../kit/form/controlled.tsx';
import { readDraft, writeDraft } from '../../../kit/form/drafts.ts';
import { Form } from '../../../kit/form/form.tsx';
import { Markdown } from '../../../kit/markdown.tsx';
import { Page } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { Maintenance } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { zoneNameOf } from '../../../session/zoned-time.ts';
import { EffectFields, PublicFields } from './effect-fields.tsx';
import type { Choosable } from './fields-props.ts';
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
const fieldsWithErrors = [
  'title',
  'description',
  'starts_at',
  'ends_at',
  'schedule',
  'scope',
  'settle_seconds',
  'announce_before_hours',
];

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
      {!app.can('maintenances:write') && <p class="note">This token does not have permission to plan maintenance.</p>}
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
  const action = useAction();
  const key = `maintenance ${id ?? 'new'} ${loaded.maintenance?.id ?? ''}`;
  const [start] = useState(() => startOf(loaded, id, app));
  const [draft, setDraft] = useState<MaintenanceDraft>(() => restored(key, start));
  useLayoutEffect(() => {
    const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
    writeDraft(key, isChanged ? { maintenance: JSON.stringify(draft) } : {});
  }, [draft]);
  const change = (changes: Partial<MaintenanceDraft>) => setDraft(before => ({ ...before, ...changes }));
  const save = async (): Promise<void> => {
    const { client } = app.api;
    const saved =
      id === null
        ? await read(client.POST('/v0/maintenances', { body: maintenanceBody(draft) }))
        : await read(client.PATCH('/v0/maintenances/{id}', patchOf(id, start, draft)));
    writeDraft(key, {});
    app.announce(`${saved.title}: saved`);
    app.go(`#/maintenance/${saved.id}`);
  };
  const fields = { draft, change, action };
  return (
    <Form
      label={id === null ? 'New maintenance window' : 'Edit maintenance window'}
      class="editor with-preview"
      action={action}
      submit={save}
    >
      <div class="column">
        <section class="card">
          <h2>What happens</h2>
          <Line
            label="Title"
            name="title"
            action={action}
            value={draft.title}
            onText={title => change({ title })}
            input={{ maxLength: 255, placeholder: 'Database upgrade' }}
          />
          <Lines
            label="Description"
            name="description"
            action={action}
            value={draft.description}
            onText={description => change({ description })}
            rows={3}
            hint="Markdown; public if the window is announced."
          />
          {draft.description.trim() !== '' && (
            <div class="markdown preview-box" role="region" aria-label="Preview of the description">
              <Markdown text={draft.description} />
            </div>
          )}
        </section>
        <WhenFields {...fields} />
        <ScopeFields {...fields} choosable={loaded} />
        <EffectFields {...fields} />
        <PublicFields {...fields} />
        <ProblemNote problem={action.problem} fields={fieldsWithErrors} />
        <div class="buttons sticky">
          <SubmitButton action={action}>{id === null ? 'Plan maintenance' : 'Save'}</SubmitButton>
          <a class="button" href={id === null ? '#/maintenance' : `#/maintenance/${id}`}>
            Cancel
          </a>
        </div>
      </div>
      <Preview draft={draft} choosable={loaded} />
    </Form>
  );
}

function patchOf(id: string, start: MaintenanceDraft, draft: MaintenanceDraft) {
  const { notify, ...rest } = maintenanceChanges(start, draft);
  return { params: { path: { id } }, body: notify ? { ...rest, notify } : rest };
}

function restored(key: string, start: MaintenanceDraft): MaintenanceDraft {
  const { maintenance } = readDraft(key);
  return maintenance === undefined ? start : { ...start, ...(JSON.parse(maintenance) as Partial<MaintenanceDraft>) };
}
