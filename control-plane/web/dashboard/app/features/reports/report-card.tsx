import { ActionButton } from '../../kit/button.tsx';
import { Skeleton } from '../../kit/page.tsx';
import { LinePlot } from '../../kit/plot/plot.tsx';
import { ProblemNote } from '../../kit/problem.tsx';
import { useAction } from '../../session/action.ts';
import { ApiProblem, read } from '../../session/api.ts';
import type { FunnelReport, ReportItem, Retention, Trends } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { type Load, useLoad } from '../../session/load.ts';
import { zoneNameOf } from '../../session/zoned-time.ts';
import { Counting, useTrends } from '../events/explore/counting.tsx';
import { RetentionTable } from '../events/explore/retention-table.tsx';
import { TrendCard } from '../events/explore/trend-card.tsx';
import { Funnel } from '../flows/funnel.tsx';
import { FunnelGroups } from '../flows/funnel-groups.tsx';
import { groupsOf } from '../flows/funnel-steps.ts';
import { type Happened, plotOfFunnel, retentionQueryOf, startOf, trendQueryOf } from './item-query.ts';

const everyMs = 60_000;

type Item<Type extends ReportItem['type']> = Extract<ReportItem, { type: Type }>;
type CardProps = { item: ReportItem; happened: Happened; remove: (() => Promise<void>) | null };

/** An item of a report, asked by its parameters. */
export function ReportCard({ item, happened, remove }: CardProps) {
  const removing = useAction();
  // What a funnel is made of is in its flow; the others count events.
  const canRead = useApp().can(item.type === 'funnel' ? 'flows:read' : 'events:read');
  return (
    <section class="card">
      <div class="card-head">
        <h2>{item.title}</h2>
        <span class="hint">{wordsOf(item)}</span>
        {remove !== null && (
          <ActionButton class="quiet" action={removing} work={remove} label={`Take off: ${item.title}`}>
            Take off
          </ActionButton>
        )}
      </div>
      {!canRead && <p class="hint">Your role, or your token, does not include this.</p>}
      {canRead && item.type === 'trend' && <TrendItem item={item} happened={happened} />}
      {canRead && item.type === 'funnel' && <FunnelItem item={item} happened={happened} />}
      {canRead && item.type === 'retention' && <RetentionItem item={item} happened={happened} />}
    </section>
  );
}

function wordsOf(item: ReportItem): string {
  const last = { '24h': '24 hours', '7d': '7 days', '30d': '30 days', '90d': '90 days' }[item.last ?? '30d'];
  return `${{ trend: 'Trend', funnel: 'Funnel', retention: 'Retention' }[item.type]} of the last ${last}`;
}

function TrendItem({ item, happened }: { item: Item<'trend'>; happened: Happened }) {
  const { api } = useApp();
  const { trends: load, step } = useTrends('', () => trendQueryOf(item, api.nowMs()), everyMs);
  const show = (trends: Trends) => <TrendCard trends={trends} measure="events" spans={happened.spans} />;
  return <Shown load={load} show={show} waiting={<Counting step={step} />} />;
}

function RetentionItem({ item, happened }: { item: Item<'retention'>; happened: Happened }) {
  const { api, zone } = useApp();
  const timezone = zoneNameOf(zone.value);
  const load = useLoad<Retention>(
    timezone,
    () => read(api.client.GET('/v0/retention', { params: { query: retentionQueryOf(item, timezone, api.nowMs()) } })),
    everyMs,
  );
  return <Shown load={load} show={retention => <RetentionTable retention={retention} happened={happened} />} />;
}

function FunnelItem({ item, happened }: { item: Item<'funnel'>; happened: Happened }) {
  const { api } = useApp();
  const { flow_id: id, group_by = 'none' } = item;
  const load = useLoad<FunnelReport>(
    '',
    () => {
      const query = { from: startOf(item, api.nowMs()), group_by };
      return read(api.client.GET('/v0/flows/{id}/report', { params: { path: { id }, query } }));
    },
    everyMs,
  );
  const { error } = load.freshness;
  if (error instanceof ApiProblem && error.code === 'not_found')
    return <p class="note">The flow was deleted: this item has nothing to show.</p>;
  return (
    <Shown
      load={load}
      show={report => (
        <>
          <Funnel steps={report.steps} />
          {group_by === 'release' && (
            <FunnelGroups groups={groupsOf(report)} names={report.steps.map(step => step.name)} />
          )}
          {group_by === 'day' && (
            <LinePlot name="Share that reached each step" plot={{ ...plotOfFunnel(report), ...happened }} />
          )}
        </>
      )}
    />
  );
}

type ShownProps<Value> = {
  load: Load<Value>;
  show(value: Value): preact.JSX.Element;
  waiting?: preact.JSX.Element;
};

function Shown<Value>({ load, show, waiting = <Skeleton rows={3} /> }: ShownProps<Value>) {
  if (load.value !== null) return show(load.value);
  const { error } = load.freshness;
  return error === null ? waiting : <ProblemNote problem={error} retry={load.refresh} />;
}
