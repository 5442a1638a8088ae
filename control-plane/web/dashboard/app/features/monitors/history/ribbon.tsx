import { presentation } from '../../../kit/labels.ts';
import { useApp } from '../../../session/app.ts';
import { formatLongDuration, formatTime } from '../../../session/time.ts';
import { across, ChartRow, drawingWidth } from './chart-rows.tsx';
import { type Stretch, sumKinds, type verdictStretches } from './stretches.ts';
import type { VoteRow } from './vote-rows.ts';

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
      viewBox={`0 0 ${drawingWidth} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Verdicts: ${summary.join(', ') || 'none in this time'}`}
    >
      <Hatch />
      {found.map(stretch => (
        <rect key={stretch.from} class={`stretch ${stretch.kind}`} {...across(stretch)} y={0} height={24}>
          <title>{describe(stretch)}</title>
        </rect>
      ))}
      {windows.map(window => (
        <rect key={window.from} class="stretch maintenance" {...across(window)} y={15} height={9}>
          <title>{`Maintenance for ${formatLongDuration(window.to - window.from)}`}</title>
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
        <ChartRow key={region} region={region} label={describeRow(region, found)}>
          {found.map(stretch => (
            <rect key={stretch.from} class={`stretch ${stretch.kind}`} {...across(stretch)} y={0} height={12}>
              <title>{describe(stretch)}</title>
            </rect>
          ))}
          {windows.map(window => (
            <rect key={window.from} class="stretch maintenance" {...across(window)} y={8} height={4} />
          ))}
        </ChartRow>
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
