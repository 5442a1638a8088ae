import { type Day, formatPercent, uptimeOf } from '../../kit/plot/days.ts';
import { formatLongDuration } from '../../session/time.ts';

const periods: readonly [days: number, label: string][] = [
  [1, 'Today'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
];

/** Uptime and downtime over four periods. A period without data shows a dash, never 0 or 100%. */
export function Figures({ days }: { days: readonly Day[] | null }) {
  return (
    <ul class="figures">
      {periods.map(([count, label]) => (
        <li key={label} class="card">
          <span class="hint">{label}</span>
          <Figure days={days?.slice(-count) ?? null} />
        </li>
      ))}
    </ul>
  );
}

function Figure({ days }: { days: readonly Day[] | null }) {
  const uptime = days === null ? null : uptimeOf(days);
  const downMs = (days ?? []).reduce((sum, { bucket }) => sum + (bucket?.down_seconds ?? 0) * 1000, 0);
  return (
    <>
      <strong class="big">{uptime === null ? '–' : formatPercent(uptime)}</strong>
      <span class="hint">{describe(uptime, downMs, days === null)}</span>
    </>
  );
}

function describe(uptime: number | null, downMs: number, isLoading: boolean): string {
  if (isLoading) return 'loading';
  if (uptime === null) return 'no data';
  return downMs === 0 ? 'no downtime' : `down ${formatLongDuration(downMs)}`;
}
