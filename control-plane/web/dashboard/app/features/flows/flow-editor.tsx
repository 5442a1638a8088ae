import { useLayoutEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../kit/button.tsx';
import { readDraft, writeDraft } from '../../kit/form/drafts.ts';
import { Choice, Form, Options, TextField } from '../../kit/form/form.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Flow } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { fieldError } from '../../session/error.ts';
import { useLoad } from '../../session/load.ts';
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
  const load = useLoad<Loaded>(id ?? 'new', previous => readAll(app, id, previous), 60_000);
  const crumbs = [
    { label: 'Events', address: '#/events' },
    { label: 'Flows', address: '#/events/flows' },
  ];
  const own = load.value?.flow;
  if (own) crumbs.push({ label: own.name, address: `#/events/flows/${own.id}` });
  return (
    <Page
      title={id === null ? 'New flow' : `Edit ${own?.name ?? 'flow'}`}
      crumbs={crumbs}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      {!app.can('flows:write') && <p class="note">This token does not have permission to change flows.</p>}
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
  const action = useAction();
  const key = `flow ${id ?? 'new'}`;
  const [start] = useState<FlowDraft>(() => (loaded.flow === null ? emptyFlow : draftOfFlow(loaded.flow)));
  const [draft, setDraft] = useState<FlowDraft>(() => restored(key) ?? start);
  useLayoutEffect(() => {
    const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
    writeDraft(key, isChanged ? { flow: JSON.stringify(draft) } : {});
  }, [draft]);
  const change = (changes: Partial<FlowDraft>): void => setDraft(before => ({ ...before, ...changes }));
  const save = async (): Promise<void> => {
    const body = flowBody(draft);
    const flow =
      id === null
        ? await read(app.api.client.POST('/v0/flows', { body }))
        : await read(app.api.client.PATCH('/v0/flows/{id}', { params: { path: { id } }, body }));
    writeDraft(key, {});
    app.announce(`${flow.name}: saved`);
    app.go(`#/events/flows/${flow.id}`);
  };
  const windowFault = fieldError(action.problem, 'window_seconds');
  const [rule, startRule] = [flowBody(draft), flowBody(start)];
  const makesVersion =
    id !== null && JSON.stringify({ ...rule, name: '' }) !== JSON.stringify({ ...startRule, name: '' });
  return (
    <Form label={id === null ? 'New flow' : 'Edit flow'} class="editor" action={action} submit={save}>
      <section class="card">
        <TextField
          label="Name"
          name="name"
          action={action}
          value={draft.name}
          input={{ maxLength: 200, onInput: event => change({ name: event.currentTarget.value }) }}
        />
        <div class="pair">
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
            {windowFault !== null && <p class="fault">{windowFault}</p>}
          </div>
          <Choice
            label="Order"
            name="order"
            action={action}
            value={draft.order}
            choices={orderChoices}
            onChange={order => change({ order: order === 'strict' ? 'strict' : 'ordered' })}
          />
        </div>
      </section>
      <StepFields
        steps={draft.steps}
        names={loaded.names}
        problem={action.problem}
        onChange={steps => change({ steps })}
      />
      {makesVersion && (
        <p class="note">
          This makes a new version: its funnel is computed again from the stored events. Earlier versions stay readable.
        </p>
      )}
      <ProblemNote problem={action.problem} fields={['name', 'order', 'steps', 'window_seconds']} />
      <div class="buttons sticky">
        <SubmitButton action={action}>{id === null ? 'Create flow' : 'Save'}</SubmitButton>
        <a class="button" href={id === null ? '#/events/flows' : `#/events/flows/${id}`}>
          Cancel
        </a>
      </div>
    </Form>
  );
}

function restored(key: string): FlowDraft | null {
  const { flow } = readDraft(key);
  return flow === undefined ? null : { ...emptyFlow, ...(JSON.parse(flow) as Partial<FlowDraft>) };
}
