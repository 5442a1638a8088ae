import { useState } from 'preact/hooks';
import { Options } from '../../kit/form/controls.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { Flow } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useEventsCrumb } from '../events/sections.tsx';
import { draftOfFlow, emptyFlow, type FlowDraft, flowBody, unitChoices } from './flow-draft.ts';
import { StepFields } from './step-fields.tsx';

type Loaded = { flow: Flow | null; names: readonly string[] };
const namesLoaded = 200;
const orderChoices = [
  ['ordered', 'Other events may come between'],
  ['strict', 'No other event may come between'],
] as const;

/** Creates a flow (`id` null), or changes one. */
export function FlowEditor({ id }: { id: string | null }) {
  const app = useApp();
  const events = useEventsCrumb();
  const load = useLoad<Loaded>(id ?? 'new', previous => readAll(app, id, previous), 60_000);
  const crumbs = [events, { label: 'Flows', address: '#/events/flows' }];
  const own = load.value?.flow;
  if (own) crumbs.push({ label: own.name, address: `#/events/flows/${own.id}` });
  return (
    <Page
      title={id === null ? 'New flow' : `Edit ${own?.name ?? 'flow'}`}
      crumbs={crumbs}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      {!app.can('flows:write') && <p class="note">You do not have permission to change flows.</p>}
      {app.can('flows:write') && load.value !== null && <Editor loaded={load.value} id={id} />}
    </Page>
  );
}

/** The names of recent events are offered while typing. */
async function readAll({ api, can }: App, id: string | null, previous: Loaded | null): Promise<Loaded> {
  const flow = id === null ? null : await read(api.client.GET('/v0/flows/{id}', { params: { path: { id } } }));
  if (previous !== null || !can('events:read')) return { flow, names: previous?.names ?? [] };
  const query = { limit: namesLoaded };
  const { data } = await read(api.client.GET('/v0/events', { params: { query } }));
  const names = new Set(data.filter(({ type }) => type === 'track').map(({ name }) => name));
  return { flow, names: [...names].sort() };
}

function Editor({ loaded, id }: { loaded: Loaded; id: string | null }) {
  const app = useApp();
  const [start] = useState<FlowDraft>(() => (loaded.flow === null ? emptyFlow : draftOfFlow(loaded.flow)));
  const form = useForm(`flow ${id ?? 'new'}`, start, async draft => {
    const body = flowBody(draft);
    const flow =
      id === null
        ? await read(app.api.client.POST('/v0/flows', { body }))
        : await read(app.api.client.PATCH('/v0/flows/{id}', { params: { path: { id } }, body }));
    app.announce(`${flow.name}: saved`);
    app.go(`#/events/flows/${flow.id}`);
  });
  const ruleOf = (draft: FlowDraft) => JSON.stringify({ ...flowBody(draft), name: '' });
  const makesVersion = id !== null && ruleOf(form.draft) !== ruleOf(start);
  return (
    <form.Form label={id === null ? 'New flow' : 'Edit flow'} class="editor">
      <section class="card">
        <form.Line name="name" label="Name" input={{ maxLength: 200 }} />
        <div class="pair">
          <WindowField form={form} />
          <form.Choice name="order" label="Order" choices={orderChoices} />
        </div>
      </section>
      <StepFields form={form} names={loaded.names} problem={form.action.problem} />
      {makesVersion && (
        <p class="note">
          This makes a new version: its funnel is computed again from the stored events. Earlier versions stay readable.
        </p>
      )}
      <form.Footer
        class="sticky"
        submit={id === null ? 'Create flow' : 'Save'}
        cancel={id === null ? '#/events/flows' : `#/events/flows/${id}`}
      />
    </form.Form>
  );
}

function WindowField({ form }: { form: Fields<FlowDraft> }) {
  const { draft, change } = form;
  return (
    <div class="field">
      <label for="window-count">Conversion window</label>
      <div class="joined">
        <input
          id="window-count"
          inputMode="decimal"
          value={draft.windowCount}
          onInput={event => change({ windowCount: event.currentTarget.value })}
        />
        <select
          aria-label="Time unit"
          value={draft.windowUnit}
          onChange={event => change({ windowUnit: event.currentTarget.value })}
        >
          <Options choices={draft.windowUnit === '1' ? [['1', 'seconds'], ...unitChoices] : unitChoices} />
        </select>
      </div>
      <form.Fault at="window_seconds" />
    </div>
  );
}
