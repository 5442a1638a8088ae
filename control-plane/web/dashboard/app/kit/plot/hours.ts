import { plural } from '../plural.ts';

/** The checks of one hour. The level is `none` if there were none, which is never shown as up. */
export type Hour = { level: 'none' | 'up' | 'partial' | 'down'; latencyMs: number | null };

type HourFigures = {
  hourly_latency_ms: readonly (number | null)[];
  hourly_error_rate: readonly (number | null)[];
};

/** The hours of a monitor's summary, the oldest first; none from a replica of 0.7.7, which has no error rates. */
export function hoursOf({ hourly_latency_ms: latencies, hourly_error_rate: rates = [] }: HourFigures): Hour[] {
  return rates.map((rate, index) => ({ level: levelOf(rate), latencyMs: latencies[index] ?? null }));
}

function levelOf(rate: number | null): Hour['level'] {
  if (rate === null) return 'none';
  return rate >= 0.5 ? 'down' : rate > 0 ? 'partial' : 'up';
}

/** `24 hours: checks failed in 2 hours, 3 hours without checks`. */
export function describeHours(hours: readonly Hour[]): string {
  const failed = hours.filter(({ level }) => level === 'partial' || level === 'down').length;
  const without = hours.filter(({ level }) => level === 'none').length;
  const failures = failed === 0 ? 'no check failed' : `checks failed in ${plural(failed, 'hour')}`;
  const gaps = without === 0 ? '' : `, ${plural(without, 'hour')} without checks`;
  return `${plural(hours.length, 'hour')}: ${failures}${gaps}`;
}

const step = 4;
const barWidth = 3;

/**
 * The bars of each level as one path, as high as the latency. Hours with failures reach the top, so that they can be
 * recognised without colour.
 */
export function hourPaths(hours: readonly Hour[], height: number): { level: Hour['level']; path: string }[] {
  const highest = Math.max(1, ...hours.map(({ latencyMs }) => latencyMs ?? 0));
  const heightOf = ({ level, latencyMs }: Hour): number => {
    if (level === 'none') return height / 8;
    if (level !== 'up') return height;
    return Math.round(height * (0.15 + (0.6 * (latencyMs ?? 0)) / highest) * 10) / 10;
  };
  const bars = hours.map((hour, index) => {
    const bar = heightOf(hour);
    return { level: hour.level, path: `M${index * step} ${height}v-${bar}h${barWidth}v${bar}z` };
  });
  return [...Map.groupBy(bars, ({ level }) => level)].map(([level, some]) => ({
    level,
    path: some.map(({ path }) => path).join(''),
  }));
}

export function widthOf(hours: readonly Hour[]): number {
  return Math.max(0, hours.length * step - (step - barWidth));
}
