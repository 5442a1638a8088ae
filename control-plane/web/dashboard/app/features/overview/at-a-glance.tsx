import { formatMs } from '../../kit/milliseconds.ts';
import { formatPercent } from '../../kit/plot/days.ts';
import { HourBars } from '../../kit/plot/hour-bars.tsx';
import { hoursOf } from '../../kit/plot/hours.ts';
import { read } from '../../session/api.ts';
import type { Monitor } from '../../session/api-types.ts';
import { useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { glanceOf } from './glance.ts';
import { Loading } from './loading.tsx';

/** One page of the list: what is shown of more monitors than that is of the newest. */
const readMax = 100;
const shownMax = 10;
const title = 'Monitors at a glance';

/** Uptime and latency where no monitor has a problem. */
export function AtAGlance() {
  const { api } = useApp();
  const query = { include: 'summary' as const, limit: readMax };
  const load = useLoad('', () => read(api.client.GET('/v0/monitors', { params: { query } })), 60_000);
  if (load.value === null) return <Loading title={title} load={load} />;
  const { data, pagination } = load.value;
  const { uptime, p95Ms, monitors } = glanceOf(data);
  return (
    <section class="card">
      <h2>{title}</h2>
      <dl class="glance-figures">
        <Figure name="Average uptime, 30 days" value={uptime === null ? '–' : formatPercent(uptime)} />
        <Figure name="Median p95, 24 h" value={formatMs(p95Ms)} />
      </dl>
      <ul class="lines">
        {monitors.slice(0, shownMax).map(monitor => (
          <GlanceRow key={monitor.id} monitor={monitor} />
        ))}
      </ul>
      {(pagination.has_more || data.length > shownMax) && (
        <p>
          <a href="#/monitors">
            {pagination.has_more ? `All monitors; above are the newest ${readMax}` : 'All monitors'}
          </a>
        </p>
      )}
    </section>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="big">{value}</dd>
    </div>
  );
}

function GlanceRow({ monitor: { id, name, summary } }: { monitor: Monitor }) {
  const { p95_ms = null, uptime_30d = null } = summary ?? {};
  return (
    <li class="glance-row" data-row>
      <a class="name" href={`#/monitors/${id}`}>
        {name}
      </a>
      {summary === undefined ? <span /> : <HourBars hours={hoursOf(summary)} />}
      <span class="number" title="p95, 24 h">
        {formatMs(p95_ms)}
      </span>
      <span class="number" title="Uptime, 30 days">
        {uptime_30d === null ? '–' : formatPercent(uptime_30d)}
      </span>
    </li>
  );
}
