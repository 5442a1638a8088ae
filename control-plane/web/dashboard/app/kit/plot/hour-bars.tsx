import { describeHours, type Hour, hourPaths, widthOf } from './hours.ts';

const height = 24;

/** A bar for each hour: as high as the latency, in the colour of what failed. */
export function HourBars({ hours }: { hours: readonly Hour[] }) {
  if (hours.length === 0) return null;
  return (
    <svg
      class="hours"
      viewBox={`0 0 ${widthOf(hours)} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeHours(hours)}
    >
      {hourPaths(hours, height).map(({ level, path }) => (
        <path key={level} class={`day ${level}`} d={path} />
      ))}
    </svg>
  );
}
