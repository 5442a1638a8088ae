import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../../kit/dialog/confirm-dialog.tsx';
import { Page } from '../../kit/page.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { read } from '../../session/api.ts';
import type { Flow as FlowData, FunnelReport } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { useQuery } from '../../session/query.ts';
import { PinButton } from '../events/pins/pin.tsx';
import { pinnedFunnel } from '../events/pins/pinned.ts';
import { useEventsCrumb } from '../events/sections.tsx';
import { FlowFilters } from './flow-filters.tsx';
import { type FlowView, groupQuery, readFlowView } from './flow-view.ts';
import { Funnel } from './funnel.tsx';
import { FunnelGroups } from './funnel-groups.tsx';
import { describeReport, describeRule, groupsOf } from './funnel-steps.ts';

const dayMs = 86_400_000;

/** One flow as a funnel, by release, day, hour or a property. */
export function Flow({ id }: { id: string }) {
  const app = useApp();
  const events = useEventsCrumb();
  const [query, setQuery] = useQuery();
  const [isDeleting, setDeleting] = useState(false);
  const view = readFlowView(query);
  const flow = useLoad<FlowData>(
    id,
    () => read(app.api.client.GET('/v0/flows/{id}', { params: { path: { id } } })),
    30_000,
  );
  const report = useLoad<FunnelReport>(
    `${id} ${JSON.stringify(view)}`,
    () => readReport(app, id, view),
    value => (value !== null && value.roll_up.pending > 0 ? 3000 : 15_000),
  );
  const shown = flow.value;
  const canWrite = app.can('flows:write');
  const remove = async (): Promise<void> => {
    await app.api.client.DELETE('/v0/flows/{id}', { params: { path: { id } } });
    app.announce('Flow deleted');
    app.go('#/events/flows');
  };
  return (
    <Page
      title={shown?.name ?? 'Flow'}
      crumbs={[events, { label: 'Flows', address: '#/events/flows' }]}
      freshness={flow.freshness}
      refresh={flow.refresh}
      managedBy={shown?.managed_by}
      actions={
        canWrite && (
          <>
            {shown !== null && <PinButton title={shown.name} item={pinnedFunnel(id, view)} />}
            <a class="button" href={`#/events/flows/${id}/edit`}>
              Edit
            </a>
            <button type="button" class="danger" onClick={() => setDeleting(true)}>
              Delete…
            </button>
          </>
        )
      }
    >
      {shown !== null && (
        <p class="hint">
          Steps {describeRule(shown)} · version {shown.version}
        </p>
      )}
      <FlowFilters flow={shown} view={view} onChange={setQuery} />
      {view.group === 'property' && view.property === '' && (
        <p class="hint">Name a property of the first step: the funnel is shown for each of its values.</p>
      )}
      {report.value === null && report.freshness.error === null && <div class="bone" />}
      {report.value === null && <ProblemNote problem={report.freshness.error} retry={() => void report.refresh()} />}
      {report.value !== null && shown !== null && <Counted flow={shown} report={report.value} />}
      {isDeleting && shown !== null && (
        <ConfirmDialog
          title={`Delete ${shown.name}?`}
          button="Delete flow"
          work={remove}
          close={() => setDeleting(false)}
        >
          <p>Its hourly counts are deleted as well. Those older than the stored events cannot be computed again.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function readReport({ api }: App, id: string, view: FlowView): Promise<FunnelReport> {
  const from = new Date(api.nowMs() - view.days * dayMs).toISOString();
  const query = { from, ...groupQuery(view) };
  return read(api.client.GET('/v0/flows/{id}/report', { params: { path: { id }, query } }));
}

function Counted({ flow, report }: { flow: FlowData; report: FunnelReport }) {
  const groups = groupsOf(report);
  const { hours, pending } = report.roll_up;
  return (
    <>
      <section class="card">
        <h2>Funnel</h2>
        <Funnel steps={report.steps} />
        {pending > 0 && (
          <progress max={hours} value={hours - pending} aria-label="Rolled-up hours">
            {hours - pending} of {hours}
          </progress>
        )}
        {describeReport(report).map(text => (
          <p key={text} class="hint">
            {text}
          </p>
        ))}
      </section>
      {report.group_by !== 'none' && (
        <section class="card">
          <h2>By {report.property ?? report.group_by}</h2>
          {groups.length === 0 ? (
            <p class="hint">No entries in this time.</p>
          ) : (
            <FunnelGroups groups={groups} names={flow.steps.map(step => step.name ?? step.event)} />
          )}
        </section>
      )}
    </>
  );
}
