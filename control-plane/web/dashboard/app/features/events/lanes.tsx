import { plural } from '../../kit/plural.ts';
import type { Incident, Release, TimelineItem } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { formatTime } from '../../session/time.ts';
import { type Lane, marksOf, rangeOf } from './user-lanes.ts';

const lanesMax = 12;
const laneHeight = 26;
const width = 1000;

type LanesProps = { lanes: readonly Lane[]; releases: readonly Release[]; incidents: readonly Incident[] };

/** A lane a session over one axis of time; releases are lines, incidents are shaded. The list below says the same. */
export function UserLanes({ lanes, releases, incidents }: LanesProps) {
  const { api, zone } = useApp();
  const shown = lanes.slice(0, lanesMax);
  const range = rangeOf(shown);
  const marks = marksOf(range, releases, incidents, api.nowMs());
  const height = shown.length * laneHeight;
  const x = (timestamp: string) => ((Date.parse(timestamp) - range.fromMs) / (range.toMs - range.fromMs)) * width;
  const time = (ms: number) => formatTime(new Date(ms).toISOString(), zone.value);
  return (
    <div class="user-lanes">
      <LaneNames lanes={shown} />
      <svg
        style={{ height: `${height}px` }}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Events of ${plural(shown.length, 'lane')} from ${time(range.fromMs)} to ${time(range.toMs)}`}
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
        {shown.map((lane, index) => (
          <line
            key={lane.session ?? ''}
            class="lane"
            x1={0}
            x2={width}
            y1={(index + 0.5) * laneHeight}
            y2={(index + 0.5) * laneHeight}
          />
        ))}
        {marks.releases.map(({ release, at }) => (
          <line key={release.id} class="release" x1={at * width} x2={at * width} y1={0} y2={height}>
            <title>{`Release ${release.version}`}</title>
          </line>
        ))}
        {shown.map((lane, index) =>
          lane.items.map(item => (
            <Mark key={item.id} item={item} x={x(item.timestamp)} y={(index + 0.5) * laneHeight} />
          )),
        )}
      </svg>
      <div class="lanes-axis hint">
        <span>{time(range.fromMs)}</span>
        <span>{time(range.toMs)}</span>
      </div>
      <Legend marks={marks} isCut={lanes.length > lanesMax} />
    </div>
  );
}

function LaneNames({ lanes }: { lanes: readonly Lane[] }) {
  return (
    <ul class="lane-names hint">
      {lanes.map(({ session }) => (
        <li key={session ?? ''} style={{ height: `${laneHeight}px` }}>
          {session ?? 'no session'}
        </li>
      ))}
    </ul>
  );
}

function Legend({ marks: { releases, incidents }, isCut }: { marks: ReturnType<typeof marksOf>; isCut: boolean }) {
  return (
    <ul class="lanes-legend hint">
      <li class="event">event</li>
      <li class="error">error</li>
      {releases.length > 0 && <li class="release">{releases.map(({ release }) => release.version).join(', ')}</li>}
      {incidents.map(({ incident }) => (
        <li key={incident.id} class="incident">
          <a href={`#/incidents/${incident.id}`}>{incident.title}</a>
        </li>
      ))}
      {isCut && <li>the latest {lanesMax} sessions</li>}
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
