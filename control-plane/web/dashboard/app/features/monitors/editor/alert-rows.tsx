import { plural } from '../../../kit/plural.ts';
import type { Backtest } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { formatTime } from '../../../session/time.ts';

type ReplayedAlert = Backtest['before']['alerts'][number];

/** The alerts as they were above those that would have been, on one line of time each. */
export function AlertRows({ backtest: { from, to, before, after } }: { backtest: Backtest }) {
  const { zone } = useApp();
  if (after === null || before.alerts.length + after.alerts.length === 0) return null;
  const range = { from: Date.parse(from), to: Date.parse(to) };
  return (
    <div class="chart-rows">
      <ChartRow label="As it was" alerts={before.alerts} range={range} />
      <ChartRow label="After" alerts={after.alerts} range={range} />
      <p class="hint chart-ends">
        <span>{formatTime(from, zone.value)}</span>
        <span>{formatTime(to, zone.value)}</span>
      </p>
    </div>
  );
}

type RowProps = { label: string; alerts: readonly ReplayedAlert[]; range: { from: number; to: number } };

function ChartRow({ label, alerts, range }: RowProps) {
  const share = (ms: number) =>
    (Math.min(1, Math.max(0, (ms - range.from) / (range.to - range.from))) * 100).toFixed(2);
  return (
    <div class="chart-row">
      <span class="label">{label}</span>
      <span class="chart-strip" role="img" aria-label={`${label}: ${plural(alerts.length, 'alert')}`}>
        {alerts.map(({ kind, opened_at, resolved_at }) => {
          const [start, end] = [
            share(Date.parse(opened_at)),
            share(resolved_at === null ? range.to : Date.parse(resolved_at)),
          ];
          const width = `${Math.max(0.4, Number(end) - Number(start))}%`;
          return (
            <span
              key={`${kind} ${opened_at}`}
              class={kind}
              style={{ left: `${Math.min(Number(start), 99.6)}%`, width }}
            />
          );
        })}
      </span>
      <span class="hint">{alerts.length}</span>
    </div>
  );
}
