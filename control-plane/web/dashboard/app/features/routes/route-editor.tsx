import { useLayoutEffect, useState } from 'preact/hooks';
import { ActionButton, SubmitButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog/dialog.tsx';
import { Check, Checks, Line } from '../../kit/form/controlled.tsx';
import { readDraft, writeDraft } from '../../kit/form/drafts.ts';
import { Form } from '../../kit/form/form.tsx';
import { SelectorField } from '../../kit/form/selector-field.tsx';
import { alertKindChoices, noticeKindWords, severityNames } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { read } from '../../session/api.ts';
import type { Channel, Route } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import type { RouteFieldsProps } from './fields-props.ts';
import { QuietFields } from './quiet-fields.tsx';
import { draftOfRoute, newRoute, type RouteDraft, routeBody, routeChanges } from './route-draft.ts';
import { StepFields } from './step-fields.tsx';

type Loaded = { route: Route | null; channels: readonly Channel[] };
const fieldsWithErrors = ['name', 'match/selector', 'steps', 'remind_every_minutes', 'quiet_hours'];
const noticeChoices = Object.entries(noticeKindWords) as [keyof typeof noticeKindWords, string][];

/** Creates a route (`id` null) or changes one: which alerts it takes, and who is notified of them when. */
export function RouteEditor({ id }: { id: string | null }) {
  const app = useApp();
  const load = useLoad<Loaded>(String(id), () => readLoaded(app, id), 60_000);
  const name = load.value?.route?.name ?? 'route';
  return (
    <Page
      title={id === null ? 'New route' : `Route ${name}`}
      crumbs={[{ label: 'Channels and routes', address: '#/channels' }]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={load.value?.route && app.can('routes:write') && <DeleteRoute route={load.value.route} />}
    >
      {!app.can('routes:write') && <p class="note">This token does not have permission to change routes.</p>}
      {load.value !== null && <Editor {...load.value} canWrite={app.can('routes:write')} />}
    </Page>
  );
}

async function readLoaded({ api, can }: App, id: string | null): Promise<Loaded> {
  const [route, channels] = await Promise.all([
    id === null ? null : read(api.client.GET('/v0/routes/{id}', { params: { path: { id } } })),
    can('channels:read') ? readAll(query => api.client.GET('/v0/channels', { params: { query } })) : [],
  ]);
  return { route, channels: channels.toSorted((left, right) => left.name.localeCompare(right.name)) };
}

function Editor({ route, channels, canWrite }: Loaded & { canWrite: boolean }) {
  const app = useApp();
  const action = useAction();
  const key = `route ${route?.id ?? 'new'}`;
  const [start] = useState<RouteDraft>(() => (route === null ? newRoute : draftOfRoute(route)));
  const [draft, setDraft] = useState<RouteDraft>(() => restored(key, start));
  useLayoutEffect(() => {
    const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
    writeDraft(key, isChanged ? { route: JSON.stringify(draft) } : {});
  }, [draft]);
  const change = (changes: Partial<RouteDraft>) => setDraft(before => ({ ...before, ...changes }));
  const save = async (): Promise<void> => {
    const { client } = app.api;
    const saved =
      route === null
        ? await read(client.POST('/v0/routes', { body: routeBody(draft) }))
        : await read(
            client.PATCH('/v0/routes/{id}', { params: { path: { id: route.id } }, body: routeChanges(start, draft) }),
          );
    writeDraft(key, {});
    app.announce(`${saved.name}: saved`);
    app.go('#/channels');
  };
  const fields = { draft, change, action };
  return (
    <Form label={route === null ? 'New route' : 'Edit route'} class="editor" action={action} submit={save}>
      <fieldset class="plain" disabled={!canWrite}>
        <MatchFields {...fields} />
        <StepFields {...fields} channels={channels} />
        <QuietFields {...fields} />
      </fieldset>
      <ProblemNote problem={action.problem} fields={fieldsWithErrors} />
      {canWrite && (
        <div class="buttons sticky">
          <SubmitButton action={action}>{route === null ? 'Create route' : 'Save'}</SubmitButton>
          <a class="button" href="#/channels">
            Cancel
          </a>
        </div>
      )}
    </Form>
  );
}

function MatchFields({ draft, change, action }: RouteFieldsProps) {
  const hasSelector = draft.selector.trim() !== '';
  return (
    <section class="card">
      <h2>Which alerts</h2>
      <Line
        label="Name"
        name="name"
        action={action}
        value={draft.name}
        onText={name => change({ name })}
        input={{ maxLength: 100, placeholder: 'Production' }}
      />
      <SelectorField
        label="Of monitors with these labels (all, if it is empty)"
        name="match/selector"
        action={action}
        value={draft.selector}
        onText={selector => change({ selector })}
      />
      <div class="pair">
        <Checks
          legend="Severities"
          choices={severityNames}
          checked={draft.severities}
          onChange={severities => change({ severities })}
          hint="None chosen means any."
        />
        <Checks
          legend="Kinds"
          choices={alertKindChoices}
          checked={draft.kinds}
          onChange={kinds => change({ kinds })}
          hint="None chosen means any."
        />
      </div>
      <Checks
        legend="Notices as well"
        choices={noticeChoices}
        checked={draft.notices}
        onChange={notices => change({ notices })}
        hint={
          hasSelector
            ? 'A route with labels gets no notices: they are about regions, agents and channels.'
            : 'They go to the channels of the first step.'
        }
      />
      <Check
        label="Also try later routes"
        hint="Otherwise an alert that matches stops here."
        checked={draft.goesOn}
        onCheck={goesOn => change({ goesOn })}
      />
      <Check label="Enabled" checked={draft.enabled} onCheck={enabled => change({ enabled })} />
    </section>
  );
}

function DeleteRoute({ route: { id, name } }: { route: Route }) {
  const app = useApp();
  const action = useAction();
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/routes/{id}', { params: { path: { id } } });
    app.announce(`${name}: deleted`);
    app.go('#/channels');
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && (
        <Dialog title={`Delete ${name}?`} close={() => setAsked(false)}>
          <p>Its steps and reminders stop. Channels it has notified still hear that alerts are resolved.</p>
          <ProblemNote problem={action.problem} />
          <div class="buttons">
            <ActionButton action={action} work={remove} class="danger">
              Delete route
            </ActionButton>
            <button type="button" onClick={() => setAsked(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

function restored(key: string, start: RouteDraft): RouteDraft {
  const { route } = readDraft(key);
  return route === undefined ? start : { ...start, ...(JSON.parse(route) as Partial<RouteDraft>) };
}
