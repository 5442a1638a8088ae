import { laneTicks, type Shown, type Stretch, sumKinds, type verdictStretches } from '../data/ribbon.ts';
import { formatLongDuration, formatTime } from '../data/time.ts';
import { useApp } from '../state/app.ts';
import { presentation } from './labels.ts';

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

type LanesProps = { checks: Parameters<typeof laneTicks>[0]; regions: readonly string[]; shown: Shown };

/** The checks of each region that were not good, at their times. */
export function Lanes({ checks, regions, shown }: LanesProps) {
  const { zone } = useApp();
  return (
    <ul class="lanes">
      {laneTicks(checks, regions, shown).map(({ region, ticks }) => (
        <li key={region}>
          <span class="lane-name">{region}</span>
          <svg
            class="lane"
            viewBox={`0 0 ${total} 12`}
            preserveAspectRatio="none"
            role="img"
            aria-label={describeTicks(region, ticks)}
          >
            {ticks.map(({ id, status, left, at }) => (
              <rect key={id} class={`tick ${status}`} x={place(left)} y={0} width={2} height={12}>
                <title>{`${presentation('checks', status).label}, ${formatTime(at, zone.value)}`}</title>
              </rect>
            ))}
          </svg>
        </li>
      ))}
    </ul>
  );
}

function describeTicks(region: string, ticks: readonly { status: string }[]): string {
  const failed = ticks.filter(({ status }) => status === 'err').length;
  return `${region}: ${failed} failed, ${ticks.length - failed} with warnings`;
}
