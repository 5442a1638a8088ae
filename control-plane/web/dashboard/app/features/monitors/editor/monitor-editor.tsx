import { useState } from 'preact/hooks';
import { useForm } from '../../../kit/form/form.tsx';
import { Page } from '../../../kit/page.tsx';
import { read } from '../../../session/api.ts';
import type { Component, Monitor, MonitorDryRun, NewMonitor, Region } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { AssertionBuilder } from './assertion-builder.tsx';
import { Backtest } from './backtest.tsx';
import { AuthFields } from './connection/auth-fields.tsx';
import { EgressFields } from './connection/egress-fields.tsx';
import { withoutMasks, withoutSecrets } from './connection/sealed-draft.ts';
import { DryRun } from './dry-run.tsx';
import { EventsValues } from './events/events-values.tsx';
import { AlertFields, HeaderFields, MetadataFields, RequestFields, ScheduleFields, TargetFields } from './fields.tsx';
import { isOfAgents } from './kind-draft.ts';
import { assertionsOfKind } from './kind-words.ts';
import { changesOf, draftOf, emptyDraft, type MonitorDraft, settingsOf } from './monitor-draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { TestNow } from './test-now.tsx';

type Loaded = { monitor: Monitor | null; regions: readonly Region[]; components: readonly Component[] };
const regionsMax = 200;

/** Creates a monitor (`id` null; `from` is copied), or changes one. */
export function MonitorEditor({ id, from }: { id: string | null; from: string | null }) {
  const app = useApp();
  const load = useLoad(`${id} ${from}`, () => readSettings(app, id ?? from), 60_000);
  const title = id === null ? 'New monitor' : `Edit ${load.value?.monitor?.name ?? 'monitor'}`;
  const crumbs = [{ label: 'Monitors', address: '#/monitors' }];
  const own = load.value?.monitor;
  if (id !== null && own) crumbs.push({ label: own.name, address: `#/monitors/${id}` });
  return (
    <Page
      title={title}
      crumbs={crumbs}
      freshness={load.freshness}
      refresh={load.refresh}
      managedBy={id === null ? null : own?.managed_by}
    >
      {!app.can('monitors:write') && <p class="note">You do not have permission to change monitors.</p>}
      {app.can('monitors:write') && load.value !== null && <Editor loaded={load.value} id={id} />}
    </Page>
  );
}

async function readSettings({ api, can }: App, monitorId: string | null): Promise<Loaded> {
  const [monitor, regions, components] = await Promise.all([
    monitorId === null ? null : read(api.client.GET('/v0/monitors/{id}', { params: { path: { id: monitorId } } })),
    read(api.client.GET('/v0/regions', { params: { query: { limit: regionsMax } } })).then(({ data }) => data),
    can('components:read') ? readAll(query => api.client.GET('/v0/components', { params: { query } })) : [],
  ]);
  return { monitor, regions, components };
}

/** The settings to start from: all regions are checked at first. */
function startOf({ monitor, regions }: Loaded, id: string | null): MonitorDraft {
  if (monitor === null) return { ...emptyDraft, regions: regions.map(({ code }) => code) };
  const draft = draftOf(monitor);
  return id === null ? { ...withoutMasks(draft), name: `${draft.name} (copy)`, componentIds: [] } : draft;
}

function Editor({ loaded, id }: { loaded: Loaded; id: string | null }) {
  const app = useApp();
  const { client } = app.api;
  const [start] = useState(() => startOf(loaded, id));
  const [tried, setTried] = useState<{ draft: MonitorDraft; answer: MonitorDryRun } | null>(null);
  const send = (draft: MonitorDraft, dryRun: boolean): Promise<Monitor | MonitorDryRun> => {
    const query = dryRun ? { dry_run: 'true' as const } : {};
    return id === null
      ? read(client.POST('/v0/monitors', { params: { query }, body: settingsOf(draft) as NewMonitor }))
      : read(client.PATCH('/v0/monitors/{id}', { params: { path: { id }, query }, body: changesOf(start, draft) }));
  };
  const form = useForm(
    `monitor ${id ?? 'new'} ${loaded.monitor?.id ?? ''}`,
    start,
    async draft => {
      const monitor = (await send(draft, false)) as Monitor;
      app.announce(`${monitor.name}: saved`);
      app.go(`#/monitors/${monitor.id}`);
    },
    withoutSecrets(start),
  );
  const { draft } = form;
  const tryOut = () =>
    form.action.run(async () => setTried({ draft, answer: (await send(draft, true)) as MonitorDryRun }));
  return (
    <form.Form label={id === null ? 'New monitor' : 'Edit monitor'} class="editor">
      <TargetFields form={form} isNew={id === null} problem={form.action.problem} />
      {assertionsOfKind[draft.kind].length > 0 && <AssertionBuilder form={form} problem={form.action.problem} />}
      {isOfAgents(draft.kind) && <ScheduleFields form={form} regions={loaded.regions} />}
      {draft.kind === 'http' && <RequestFields form={form} />}
      {draft.kind === 'grpc' && <MetadataFields form={form} />}
      {draft.kind === 'websocket' && <HeaderFields form={form} />}
      <AuthFields form={form} />
      <EgressFields form={form} />
      <AlertFields form={form} components={loaded.components} />
      <RuleFields form={form.part('rules', 'alert_rules')} kind={draft.kind} />
      {draft.kind === 'events' && app.can('events:read') && <EventsValues settings={settingsOf(draft)} />}
      {isOfAgents(draft.kind) && <TestNow settings={settingsOf(draft)} regions={draft.regions} monitorId={id} />}
      {id !== null && <Backtest monitorId={id} changes={changesOf(start, draft)} />}
      {tried?.draft === draft && <DryRun tried={tried.answer} isNew={id === null} />}
      <form.Footer
        class="sticky"
        submit={id === null ? 'Create' : 'Save'}
        cancel={id === null ? '#/monitors' : `#/monitors/${id}`}
      >
        <button type="button" onClick={() => void tryOut()}>
          Dry run
        </button>
      </form.Footer>
    </form.Form>
  );
}
