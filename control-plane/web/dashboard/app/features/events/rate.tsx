import { formatBytes } from '../../kit/bytes.ts';
import { plural } from '../../kit/plural.ts';
import { Ago } from '../../kit/time.tsx';
import type { EventRate } from '../../session/api-types.ts';
import { Meter } from '../quotas/meter.tsx';
import { use } from '../quotas/quotas.ts';
import { currentRate, describeRefusal, formatRate } from './tail.ts';

const barHeight = 56;

/** How fast events arrive against what is allowed, and what was refused. */
export function Rate({ rate }: { rate: EventRate }) {
  const { limits, peak, sustained, bytes_today, last_24_hours } = rate;
  const perSecond = currentRate(rate);
  const spent = (bucket: EventRate['peak']) => bucket.capacity - bucket.available;
  const whole = (value: number) => value.toLocaleString('en');
  return (
    <div class="columns rate">
      <section class="card">
        <h2>Rate</h2>
        <p class="rate-now">
          <strong class="big">{formatRate(perSecond)}</strong> events per second, last minute
        </p>
        <MinuteBars minutes={rate.minutes} />
        <div class="minutes-axis hint" aria-hidden="true">
          <span>an hour ago</span>
          <span>now</span>
        </div>
        <p class="hint">
          Last 24 hours: {plural(last_24_hours.stored, 'event')} stored, {whole(last_24_hours.known)} repeated,{' '}
          {whole(last_24_hours.refused)} refused.
        </p>
      </section>
      <section class="card">
        <h2>Limits</h2>
        <Meter use={use('Sustained, per second', perSecond, limits.sustained_per_second, formatRate)} />
        <Meter use={use('Burst allowance used', spent(sustained), sustained.capacity, whole)} />
        <Meter use={use('Peak allowance used', spent(peak), peak.capacity, whole)} />
        <Meter use={use('Bytes today', bytes_today.used, bytes_today.maximum, formatBytes)} />
        <p class="hint">
          Up to {whole(limits.burst_per_second)} per second for {limits.burst_seconds} s. Above a limit the API answers
          429, and nothing of the request is stored.
        </p>
      </section>
      <Refusals refusals={rate.refusals} />
    </div>
  );
}

function Refusals({ refusals }: { refusals: EventRate['refusals'] }) {
  return (
    <section class="card">
      <h2>Refused in 24 hours</h2>
      {refusals.length === 0 && <p class="hint">Nothing.</p>}
      <ul class="lines">
        {refusals.map(({ code, events, last_at }) => (
          <li key={code}>
            <strong>{events.toLocaleString('en')}</strong>
            <span>
              {describeRefusal(code)} <code>{code}</code>
            </span>
            <span class="hint end">
              <Ago at={last_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A bar a minute: stored events, and refused ones on top. */
function MinuteBars({ minutes }: { minutes: EventRate['minutes'] }) {
  const most = Math.max(1, ...minutes.map(({ stored, known, refused }) => stored + known + refused));
  const scale = (events: number) => (events === 0 ? 0 : Math.max(1, (events / most) * barHeight));
  const total = minutes.reduce((sum, { stored, known }) => sum + stored + known, 0);
  const refusals = minutes.reduce((sum, { refused }) => sum + refused, 0);
  return (
    <svg
      class="minutes"
      viewBox={`0 0 ${minutes.length * 4} ${barHeight}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Last hour: ${plural(total, 'event')}, ${refusals} refused, ${most} in the busiest minute`}
    >
      {minutes.map(({ at, stored, known, refused }, index) => {
        const [taken, lost] = [scale(stored + known), scale(refused)];
        return (
          <g key={at}>
            <rect class="reach" x={index * 4} y={0} width={4} height={barHeight} />
            <rect class="floor" x={index * 4 + 0.5} y={barHeight - 1} width={3} height={1} />
            <rect class="taken" x={index * 4 + 0.5} y={barHeight - taken} width={3} height={taken} />
            <rect class="lost" x={index * 4 + 0.5} y={barHeight - taken - lost} width={3} height={lost} />
            <title>{`${at.slice(11, 16)} UTC: ${stored + known} stored, ${refused} refused`}</title>
          </g>
        );
      })}
    </svg>
  );
}
