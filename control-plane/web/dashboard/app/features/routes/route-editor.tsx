import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import type { Fields } from '../../kit/form/fields.tsx';
import { useForm } from '../../kit/form/form.tsx';
import { SelectorField } from '../../kit/form/selector-field.tsx';
import { alertKindChoices, noticeKindWords, severityNames } from '../../kit/labels.ts';
import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { Channel, Route } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { readAll } from '../../session/read-all.ts';
import { QuietFields } from './quiet-fields.tsx';
import { draftOfRoute, newRoute, type RouteDraft, routeBody, routeChanges } from './route-draft.ts';
import { StepFields } from './step-fields.tsx';

type Loaded = { route: Route | null; channels: readonly Channel[] };
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
      managedBy={load.value?.route?.managed_by}
      actions={load.value?.route && app.can('routes:write') && <DeleteRoute route={load.value.route} />}
    >
      {!app.can('routes:write') && <p class="note">You do not have permission to change routes.</p>}
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
  const { client } = app.api;
  const [start] = useState<RouteDraft>(() => (route === null ? newRoute : draftOfRoute(route)));
  const form = useForm(`route ${route?.id ?? 'new'}`, start, async draft => {
    const body = routeChanges(start, draft);
    const saved =
      route === null
        ? await read(client.POST('/v0/routes', { body: routeBody(draft) }))
        : await read(client.PATCH('/v0/routes/{id}', { params: { path: { id: route.id } }, body }));
    app.announce(`${saved.name}: saved`);
    app.go('#/channels');
  });
  return (
    <form.Form label={route === null ? 'New route' : 'Edit route'} class="editor">
      <fieldset class="plain" disabled={!canWrite}>
        <MatchFields form={form} />
        <StepFields form={form} channels={channels} />
        <QuietFields form={form} />
      </fieldset>
      {canWrite && <form.Footer class="sticky" submit={route === null ? 'Create route' : 'Save'} cancel="#/channels" />}
    </form.Form>
  );
}

function MatchFields({ form }: { form: Fields<RouteDraft> }) {
  const hasSelector = form.draft.selector.trim() !== '';
  const any = 'None chosen means any.';
  return (
    <section class="card">
      <h2>Which alerts</h2>
      <form.Line name="name" label="Name" input={{ maxLength: 100, placeholder: 'Production' }} />
      <SelectorField
        field={form.text('selector', 'match/selector')}
        label="Of monitors with these labels (all, if it is empty)"
      />
      <div class="pair">
        <form.Checks name="severities" at="match/severities" legend="Severities" choices={severityNames} hint={any} />
        <form.Checks name="kinds" at="match/kinds" legend="Kinds" choices={alertKindChoices} hint={any} />
      </div>
      <form.Checks
        name="notices"
        at="match/notices"
        legend="Notices as well"
        choices={noticeChoices}
        hint={
          hasSelector
            ? 'A route with labels gets no notices: they are about regions, agents and channels.'
            : 'They go to the channels of the first step.'
        }
      />
      <form.Check name="goesOn" label="Also try later routes" hint="Otherwise an alert that matches stops here." />
      <form.Check name="enabled" label="Enabled" />
    </section>
  );
}

function DeleteRoute({ route: { id, name } }: { route: Route }) {
  const app = useApp();
  const [isAsked, setAsked] = useState(false);
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/routes/{id}', { params: { path: { id } } });
    app.announce(`${name}: deleted`);
    app.go('#/channels');
  };
  const title = `Delete ${name}?`;
  return (
    <>
      <button type="button" class="danger" onClick={() => setAsked(true)}>
        Delete…
      </button>
      {isAsked && (
        <ConfirmDialog title={title} button="Delete route" close={() => setAsked(false)} work={remove}>
          <p>Its steps and reminders stop. Channels it has notified still hear that alerts are resolved.</p>
        </ConfirmDialog>
      )}
    </>
  );
}
