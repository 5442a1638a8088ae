import { Page } from '../../kit/page.tsx';
import { plural } from '../../kit/plural.ts';
import { formatShare } from '../../kit/share.ts';
import { read } from '../../session/api.ts';
import type { Flow, FunnelReport } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { EventSections, useEventsCrumb } from '../events/sections.tsx';
import { describeRule } from './funnel-steps.ts';

const flowsMax = 100;

/** The flows of the project, each with its last seven days. */
export function Flows() {
  const app = useApp();
  const events = useEventsCrumb();
  const load = useLoad<readonly Flow[]>(
    '',
    async () => (await read(app.api.client.GET('/v0/flows', { params: { query: { limit: flowsMax } } }))).data,
    30_000,
  );
  const flows = load.value ?? [];
  const canWrite = app.can('flows:write');
  return (
    <Page
      title="Flows"
      crumbs={[events]}
      freshness={load.freshness}
      refresh={load.refresh}
      actions={
        canWrite && (
          <a class="button primary" href="#/events/flows/new">
            New flow
          </a>
        )
      }
    >
      <EventSections />
      {flows.length === 0 && (
        <p class="empty">
          No flows yet. A flow counts how many users get from one event to the next: from “signed up” to “paid”.
        </p>
      )}
      <ul class="cards flows">
        {flows.map(flow => (
          <Row key={flow.id} flow={flow} />
        ))}
      </ul>
    </Page>
  );
}

function Row({ flow }: { flow: Flow }) {
  const { api } = useApp();
  const report = useLoad<FunnelReport>(
    flow.id,
    () => read(api.client.GET('/v0/flows/{id}/report', { params: { path: { id: flow.id } } })),
    60_000,
  );
  const steps = report.value?.steps ?? [];
  const [first, last] = [steps[0], steps.at(-1)];
  return (
    <li class="card row flow" data-row>
      <div class="what">
        <a class="name" href={`#/events/flows/${flow.id}`}>
          {flow.name}
        </a>
        <span class="reason">
          {flow.steps.map(step => step.name ?? step.event).join(' → ')} · {describeRule(flow)}
        </span>
      </div>
      <div class="sparks" aria-hidden="true">
        {steps.map(step => (
          <span key={step.step} style={{ height: `${Math.max(4, (step.from_first ?? 0) * 100)}%` }} />
        ))}
      </div>
      <div class="flow-figures">
        {first === undefined || last === undefined ? (
          <span class="hint">{report.freshness.error === null ? 'counting' : 'could not be counted'}</span>
        ) : (
          <>
            <strong>{formatShare(last.from_first)}</strong>
            <span class="hint">
              {last.users.toLocaleString('en')} of {plural(first.users, 'user')}, 7 days
            </span>
          </>
        )}
      </div>
    </li>
  );
}
