import { Badge } from '../../../kit/badge.tsx';
import { monitorPresentation, presentation } from '../../../kit/labels.ts';
import { formatMs } from '../../../kit/milliseconds.ts';
import { formatPercent } from '../../../kit/plot/days.ts';
import { HourBars } from '../../../kit/plot/hour-bars.tsx';
import { hoursOf } from '../../../kit/plot/hours.ts';
import { plural } from '../../../kit/plural.ts';
import { useWindow } from '../../../kit/table/window.ts';
import { Ago, Since } from '../../../kit/time.tsx';
import type { Monitor } from '../../../session/api-types.ts';
import { kindWords } from '../editor/kind-words.ts';
import { KindIcon } from '../kind-icon.tsx';
import { VoteDots } from '../votes.tsx';
import { lastCheckOf, type MonitorFilter } from './monitor-list.ts';

type TableProps = {
  monitors: readonly Monitor[];
  filter: MonitorFilter;
  change(changes: Partial<MonitorFilter>): void;
  selected: ReadonlySet<string>;
  /** Null if the token may not change monitors. */
  select: ((selected: ReadonlySet<string>) => void) | null;
  /** Called with the ids of the rows that exist. */
  onVisible(ids: readonly string[]): void;
};

/** Only the rows near the visible part of the page exist: 5,000 monitors scroll as lightly as 50. */
export function MonitorTable({ monitors, filter, change, selected, select, onVisible }: TableProps) {
  const { host, first, last, rowHeight } = useWindow(monitors.length);
  onVisible(monitors.slice(first, last).map(({ id }) => id));
  const all = select !== null && monitors.every(({ id }) => selected.has(id));
  const heading = (sort: MonitorFilter['sort'], label: string) => (
    <span role="columnheader" aria-sort={filter.sort === sort ? 'ascending' : 'none'}>
      <button type="button" class="sort" onClick={() => change({ sort })}>
        {label}
      </button>
    </span>
  );
  return (
    <div class="monitor-table" role="table" aria-label="Monitors" aria-rowcount={monitors.length + 1}>
      <div role="row" aria-rowindex={1} class="monitor-row head">
        <span role="columnheader" class="pick">
          {select !== null && (
            <input
              type="checkbox"
              aria-label="Select all monitors in this list"
              checked={all}
              onChange={() => select(new Set(all ? [] : monitors.map(({ id }) => id)))}
            />
          )}
        </span>
        {heading('urgency', 'State')}
        {heading('name', 'Name')}
        <span role="columnheader">Regions</span>
        {heading('latency', 'p95, 24 h')}
        {heading('uptime', '30 days')}
        {heading('checked', 'Last check')}
      </div>
      <div ref={host} role="rowgroup" class="monitor-rows" style={{ height: `${monitors.length * rowHeight}px` }}>
        <div class="monitor-slice" role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
          {monitors.slice(first, last).map((monitor, index) => (
            <Row
              key={monitor.id}
              index={first + index}
              monitor={monitor}
              isSelected={selected.has(monitor.id)}
              select={select === null ? null : () => select(toggled(selected, monitor.id))}
            />
          ))}
        </div>
      </div>
      <p class="hint">{plural(monitors.length, 'monitor')}</p>
    </div>
  );
}

function toggled(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

type RowProps = { index: number; monitor: Monitor; isSelected: boolean; select: (() => void) | null };

function Row({ index, monitor, isSelected, select }: RowProps) {
  const { id, kind, name, url, labels, maintenance, status_since, votes, interval_seconds, summary } = monitor;
  // The address of a heartbeat is a secret.
  const target = kind === 'heartbeat' ? `each ${interval_seconds} s` : url;
  const { p95_ms = null, uptime_30d = null } = summary ?? {};
  const state = monitorPresentation(monitor);
  const checked = lastCheckOf(monitor);
  return (
    <div role="row" aria-rowindex={index + 2} class={`monitor-row ${state.tone}`} data-row>
      <span role="cell" class="pick">
        {select !== null && (
          <input type="checkbox" aria-label={`Select ${name}`} checked={isSelected} onChange={select} />
        )}
      </span>
      <span role="cell" class="state">
        <Badge state={state} />
        {maintenance === null ? (
          <span class="hint">
            for <Since at={status_since} />
          </span>
        ) : (
          <Badge state={presentation('planned', 'maintenance')} />
        )}
      </span>
      <span role="cell" class="what">
        <a class="name" href={`#/monitors/${id}`} title={name}>
          {name}
        </a>
        <span class="url" title={target}>
          <span class="kind">
            <KindIcon kind={kind} /> {kindWords[kind].name}
          </span>{' '}
          {target}
        </span>
        <Labels labels={labels} />
      </span>
      <span role="cell">
        <VoteDots votes={votes} />
      </span>
      <span role="cell" class="number latency">
        {summary !== undefined && <HourBars hours={hoursOf(summary)} />}
        {formatMs(p95_ms)}
      </span>
      <span role="cell" class="number">
        {uptime_30d === null ? '–' : formatPercent(uptime_30d)}
      </span>
      <span role="cell" class="number" title={`checked every ${interval_seconds} s`}>
        {checked === '' ? 'no checks yet' : <Ago at={checked} />}
      </span>
    </div>
  );
}

const labelsShown = 3;

function Labels({ labels }: { labels: Monitor['labels'] }) {
  const pairs = Object.entries(labels);
  if (pairs.length === 0) return null;
  return (
    <span class="labels">
      {pairs.slice(0, labelsShown).map(([key, value]) => (
        <span key={key} class="tag">
          {key}={value}
        </span>
      ))}
      {pairs.length > labelsShown && <span class="hint">+{pairs.length - labelsShown}</span>}
    </span>
  );
}
