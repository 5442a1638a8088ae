import { type Day, describeDay, describeDays, isImported } from './days.ts';

const heights: Record<Day['level'], number> = { none: 6, up: 24, degraded: 24, partial: 24, down: 24 };
/** A notch marks days with downtime, so that they can be recognised without colour. */
const notches: Record<Day['level'], number> = { none: 0, up: 0, degraded: 0, partial: 3, down: 8 };
/** What was brought from another tool is hatched. */
const hatches = [11, 15, 19];

/** One bar per day with its figures on hover, and a summary for screen readers. */
export function UptimeBars({ days }: { days: readonly Day[] }) {
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${days.length * 4} 24`}
      preserveAspectRatio="none"
      role="img"
      aria-label={describeDays(days)}
    >
      {days.map((day, index) => (
        <Bar key={day.date} day={day} left={index * 4} />
      ))}
    </svg>
  );
}

function Bar({ day, left }: { day: Day; left: number }) {
  const [height, notch] = [heights[day.level], notches[day.level]];
  return (
    <g>
      <rect class="reach" x={left} y={0} width={4} height={24} />
      <rect class={`day ${day.level}`} x={left + 0.5} y={24 - height} width={3} height={height} rx={1} />
      {notch > 0 && <rect class="notch" x={left + 0.5} y={0} width={3} height={notch} />}
      {isImported(day.bucket) &&
        hatches.map(top => <rect key={top} class="notch" x={left + 0.5} y={top} width={3} height={1.5} />)}
      <title>{describeDay(day)}</title>
    </g>
  );
}
