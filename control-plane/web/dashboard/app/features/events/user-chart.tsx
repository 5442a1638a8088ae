import { plural } from '../../kit/plural.ts';
import type { Incident, Release, TimelineItem } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { formatTime } from '../../session/time.ts';
import { type ChartRow, marksOf, rangeOf } from './user-rows.ts';

const chartRowsMax = 12;
const rowHeight = 26;
const width = 1000;

type RowsProps = { chartRows: readonly ChartRow[]; releases: readonly Release[]; incidents: readonly Incident[] };

/** A row a session over one axis of time; releases are lines, incidents are shaded. The list below says the same. */
export function UserRows({ chartRows, releases, incidents }: RowsProps) {
  const { api, zone } = useApp();
  const shown = chartRows.slice(0, chartRowsMax);
  const range = rangeOf(shown);
  const marks = marksOf(range, releases, incidents, api.nowMs());
  const height = shown.length * rowHeight;
  const x = (timestamp: string) => ((Date.parse(timestamp) - range.fromMs) / (range.toMs - range.fromMs)) * width;
  const time = (ms: number) => formatTime(new Date(ms).toISOString(), zone.value);
  return (
    <div class="user-rows">
      <RowNames chartRows={shown} />
      <svg
        style={{ height: `${height}px` }}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Events of ${plural(shown.length, 'session')} from ${time(range.fromMs)} to ${time(range.toMs)}`}
      >
        {marks.incidents.map(({ incident, from, to }) => (
          <rect
            key={incident.id}
            class="incident"
            x={from * width}
            width={Math.max(2, (to - from) * width)}
            height={height}
          >
            <title>{`Incident: ${incident.title}`}</title>
          </rect>
        ))}
        {shown.map((chartRow, index) => (
          <line
            key={chartRow.session ?? ''}
            class="chart-strip"
            x1={0}
            x2={width}
            y1={(index + 0.5) * rowHeight}
            y2={(index + 0.5) * rowHeight}
          />
        ))}
        {marks.releases.map(({ release, at }) => (
          <line key={release.id} class="release" x1={at * width} x2={at * width} y1={0} y2={height}>
            <title>{`Release ${release.version}`}</title>
          </line>
        ))}
        {shown.map((chartRow, index) =>
          chartRow.items.map(item => (
            <Mark key={item.id} item={item} x={x(item.timestamp)} y={(index + 0.5) * rowHeight} />
          )),
        )}
      </svg>
      <div class="chart-axis hint">
        <span>{time(range.fromMs)}</span>
        <span>{time(range.toMs)}</span>
      </div>
      <Legend marks={marks} isCut={chartRows.length > chartRowsMax} />
    </div>
  );
}

function RowNames({ chartRows }: { chartRows: readonly ChartRow[] }) {
  return (
    <ul class="chart-row-names hint">
      {chartRows.map(({ session }) => (
        <li key={session ?? ''} style={{ height: `${rowHeight}px` }}>
          {session ?? 'no session'}
        </li>
      ))}
    </ul>
  );
}

function Legend({ marks: { releases, incidents }, isCut }: { marks: ReturnType<typeof marksOf>; isCut: boolean }) {
  return (
    <ul class="chart-legend hint">
      <li class="event">event</li>
      <li class="error">error</li>
      {releases.length > 0 && <li class="release">{releases.map(({ release }) => release.version).join(', ')}</li>}
      {incidents.map(({ incident }) => (
        <li key={incident.id} class="incident">
          <a href={`#/incidents/${incident.id}`}>{incident.title}</a>
        </li>
      ))}
      {isCut && <li>the latest {chartRowsMax} sessions</li>}
    </ul>
  );
}

function Mark({ item: { type, name, timestamp }, x, y }: { item: TimelineItem; x: number; y: number }) {
  const { zone } = useApp();
  const height = type === 'error' ? 20 : 12;
  return (
    <rect class={type === 'error' ? 'error' : 'event'} x={x - 2} y={y - height / 2} width={4} height={height}>
      <title>{`${name}, ${formatTime(timestamp, zone.value)}`}</title>
    </rect>
  );
}
