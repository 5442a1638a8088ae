import { useLayoutEffect, useState } from 'preact/hooks';
import { SubmitButton } from '../../../kit/button.tsx';
import { readDraft, writeDraft } from '../../../kit/form/drafts.ts';
import { Form } from '../../../kit/form/form.tsx';
import { Page } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { useAction } from '../../../session/action.ts';
import { read } from '../../../session/api.ts';
import type { Component, Monitor, MonitorDryRun, Region } from '../../../session/api-types.ts';
import { type App, useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { readAll } from '../../../session/read-all.ts';
import { AssertionBuilder } from './assertion-builder.tsx';
import { Backtest } from './backtest.tsx';
import { DryRun } from './dry-run.tsx';
import { AlertFields, RequestFields, ScheduleFields, TargetFields } from './fields.tsx';
import { changesOf, draftOf, emptyDraft, type MonitorDraft, settingsOf } from './monitor-draft.ts';
import { RuleFields } from './rule-fields.tsx';
import { TestNow } from './test-now.tsx';

type Loaded = { monitor: Monitor | null; regions: readonly Region[]; components: readonly Component[] };
const regionsMax = 200;
const fieldsWithErrors = ['name', 'url', 'interval_seconds', 'timeout_ms', 'quorum', 'labels', 'body', 'alert_rules'];

/** Creates a monitor (`id` null; `from` is copied), or changes one. */
export function MonitorEditor({ id, from }: { id: string | null; from: string | null }) {
  const app = useApp();
  const load = useLoad(`${id} ${from}`, () => readSettings(app, id ?? from), 60_000);
  const title = id === null ? 'New monitor' : `Edit ${load.value?.monitor?.name ?? 'monitor'}`;
  const crumbs = [{ label: 'Monitors', address: '#/monitors' }];
  const own = load.value?.monitor;
  if (id !== null && own) crumbs.push({ label: own.name, address: `#/monitors/${id}` });
  return (
    <Page title={title} crumbs={crumbs} freshness={load.freshness} refresh={load.refresh}>
      {!app.can('monitors:write') && <p class="note">This token does not have permission to change monitors.</p>}
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
  return id === null ? { ...draft, name: `${draft.name} (copy)`, componentIds: [] } : draft;
}

function Editor({ loaded, id }: { loaded: Loaded; id: string | null }) {
  const app = useApp();
  const { client } = app.api;
  const action = useAction();
  const key = `monitor ${id ?? 'new'} ${loaded.monitor?.id ?? ''}`;
  const [start] = useState(() => startOf(loaded, id));
  const [draft, setDraft] = useState<MonitorDraft>(() => restored(key) ?? start);
  const [tried, setTried] = useState<MonitorDryRun | null>(null);
  useLayoutEffect(() => {
    const isChanged = JSON.stringify(draft) !== JSON.stringify(start);
    writeDraft(key, isChanged ? { monitor: JSON.stringify(draft) } : {});
  }, [draft]);
  const change = (changes: Partial<MonitorDraft>): void => {
    setDraft(before => ({ ...before, ...changes }));
    setTried(null);
  };
  const send = (dryRun: boolean): Promise<Monitor | MonitorDryRun> => {
    const query = dryRun ? { dry_run: 'true' as const } : {};
    return id === null
      ? read(client.POST('/v0/monitors', { params: { query }, body: settingsOf(draft) }))
      : read(client.PATCH('/v0/monitors/{id}', { params: { path: { id }, query }, body: changesOf(start, draft) }));
  };
  const save = async (): Promise<void> => {
    const monitor = (await send(false)) as Monitor;
    writeDraft(key, {});
    app.announce(`${monitor.name}: saved`);
    app.go(`#/monitors/${monitor.id}`);
  };
  const tryOut = () => void action.run(async () => setTried((await send(true)) as MonitorDryRun));
  const fields = { draft, change, action };
  return (
    <Form label={id === null ? 'New monitor' : 'Edit monitor'} class="editor" action={action} submit={save}>
      <TargetFields {...fields} />
      <AssertionBuilder {...fields} />
      <ScheduleFields {...fields} regions={loaded.regions} />
      <RequestFields {...fields} />
      <AlertFields {...fields} components={loaded.components} />
      <RuleFields rules={draft.rules} onChange={rules => change({ rules })} action={action} />
      <TestNow settings={settingsOf(draft)} regions={draft.regions} monitorId={id} />
      {id !== null && <Backtest monitorId={id} changes={changesOf(start, draft)} />}
      <ProblemNote problem={action.problem} fields={fieldsWithErrors} />
      {tried !== null && <DryRun tried={tried} isNew={id === null} />}
      <div class="buttons sticky">
        <SubmitButton action={action}>{id === null ? 'Create' : 'Save'}</SubmitButton>
        <button type="button" onClick={tryOut}>
          Dry run
        </button>
        <a class="button" href={id === null ? '#/monitors' : `#/monitors/${id}`}>
          Cancel
        </a>
      </div>
    </Form>
  );
}

function restored(key: string): MonitorDraft | null {
  const { monitor } = readDraft(key);
  return monitor === undefined ? null : { ...emptyDraft, ...(JSON.parse(monitor) as Partial<MonitorDraft>) };
}
