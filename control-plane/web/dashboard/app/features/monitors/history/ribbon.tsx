import { presentation } from '../../../kit/labels.ts';
import { useApp } from '../../../session/app.ts';
import { formatLongDuration, formatTime } from '../../../session/time.ts';
import { type Stretch, sumKinds, type verdictStretches } from './stretches.ts';
import type { VoteRow } from './vote-rows.ts';

/** The width of both drawings, in units of their own. */
const total = 1000;
const place = (value: number) => Math.round(value * total * 10) / 10;

type Verdicts = ReturnType<typeof verdictStretches>;
type RibbonProps = { found: Verdicts; windows: readonly Stretch[] };

/** The verdicts over the shown time. What is not known or excluded is hatched: it is neither. */
export function Ribbon({ found, windows }: RibbonProps) {
  const { zone } = useApp();
  const describe = ({ kind, from, to }: Verdicts[number]) => {
    const since = formatTime(new Date(from).toISOString(), zone.value);
    return `${presentation('verdicts', kind).label} for ${formatLongDuration(to - from)}, from ${since}`;
  };
  const summary = sumKinds(found).map(
    ([kind, ms]) => `${presentation('verdicts', kind).label.toLowerCase()} ${formatLongDuration(ms)}`,
  );
  return (
    <svg
      class="ribbon"
      viewBox={`0 0 ${total} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Verdicts: ${summary.join(', ') || 'none in this time'}`}
    >
      <Hatch />
      {found.map(stretch => (
        <rect
          key={stretch.from}
          class={`stretch ${stretch.kind}`}
          x={place(stretch.left)}
          y={0}
          width={Math.max(1.5, place(stretch.width))}
          height={24}
        >
          <title>{describe(stretch)}</title>
        </rect>
      ))}
      {windows.map(({ from, to, left, width }) => (
        <rect
          key={from}
          class="stretch maintenance"
          x={place(left)}
          y={15}
          width={Math.max(1.5, place(width))}
          height={9}
        >
          <title>{`Maintenance for ${formatLongDuration(to - from)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

/** Upright stripes: the drawing is stretched, and slanted ones would be, too. */
function Hatch() {
  return (
    <defs>
      {['unknown', 'maintenance'].map(name => (
        <pattern
          key={name}
          id={`hatch-${name}`}
          class={`hatch ${name}`}
          width="6"
          height="24"
          patternUnits="userSpaceOnUse"
        >
          <rect class="ground" width="6" height="24" />
          <rect class="stripe" width="2" height="24" />
        </pattern>
      ))}
    </defs>
  );
}

/** The votes of each region, one above the other; hatched where there was none that counted, and in maintenance. */
export function VoteRows({ chartRows, windows }: { chartRows: readonly VoteRow[]; windows: readonly Stretch[] }) {
  const { zone } = useApp();
  const describe = ({ kind, from, to }: VoteRow['found'][number]) => {
    const since = formatTime(new Date(from).toISOString(), zone.value);
    return `${presentation('votes', kind).label} for ${formatLongDuration(to - from)}, from ${since}`;
  };
  return (
    <ul class="chart-rows">
      {chartRows.map(({ region, found }) => (
        <li key={region}>
          <span class="chart-row-name">{region}</span>
          <svg
            class="chart-strip"
            viewBox={`0 0 ${total} 12`}
            preserveAspectRatio="none"
            role="img"
            aria-label={describeRow(region, found)}
          >
            {found.map(stretch => (
              <rect
                key={stretch.from}
                class={`stretch ${stretch.kind}`}
                x={place(stretch.left)}
                y={0}
                width={Math.max(1.5, place(stretch.width))}
                height={12}
              >
                <title>{describe(stretch)}</title>
              </rect>
            ))}
            {windows.map(({ from, left, width }) => (
              <rect
                key={from}
                class="stretch maintenance"
                x={place(left)}
                y={8}
                width={Math.max(1.5, place(width))}
                height={4}
              />
            ))}
          </svg>
        </li>
      ))}
    </ul>
  );
}

function describeRow(region: string, found: VoteRow['found']): string {
  const sums = sumKinds(found).map(
    ([kind, ms]) => `${presentation('votes', kind).label.toLowerCase()} ${formatLongDuration(ms)}`,
  );
  return `${region}: ${sums.join(', ') || 'no votes in this time'}`;
}
