import { Page } from '../../kit/page.tsx';
import { read } from '../../session/api.ts';
import type { EventRate, Project } from '../../session/api-types.ts';
import { type App, useApp } from '../../session/app.ts';
import { useLoad } from '../../session/load.ts';
import { currentRate, formatRate } from '../events/tail.ts';
import { Meter } from '../quotas/meter.tsx';
import { forecastEvents, use, useOf } from '../quotas/quotas.ts';
import { SettingSections } from './sections.tsx';

type Loaded = { project: Project; rate: EventRate | null };

/** What the project may have and has, what happens at a limit, and what is kept how long. */
export function Limits() {
  const app = useApp();
  const load = useLoad<Loaded>('', () => readAll(app), 10_000);
  return (
    <Page
      title="Limits and retention"
      crumbs={[{ label: 'Settings', address: '#/settings' }]}
      freshness={load.freshness}
      refresh={load.refresh}
    >
      <SettingSections />
      {load.value !== null && (
        <div class="columns">
          <Quotas {...load.value} />
          <Retention {...load.value} />
        </div>
      )}
    </Page>
  );
}

async function readAll({ api, can }: App): Promise<Loaded> {
  const [project, rate] = await Promise.all([
    read(api.client.GET('/v0/project')),
    can('events:read') ? read(api.client.GET('/v0/events/rate')) : null,
  ]);
  return { project, rate };
}

function Quotas({ project, rate }: Loaded) {
  const { sustained_per_second: sustained, burst_per_second: burst, burst_seconds } = project.ingest_limits;
  return (
    <section class="card">
      <h2>Use</h2>
      {rate !== null && <Meter use={use('Events per second', currentRate(rate), sustained, formatRate)} />}
      {project.quotas.map(quota => (
        <Meter key={quota.resource} use={useOf(quota)} />
      ))}
      <h3>When a limit is reached</h3>
      <p>
        One more is refused with 409 <code>limit_reached</code>, and what exists goes on. Events above {sustained} per
        second, or {burst} per second for {burst_seconds} s, are refused with 429 <code>rate_limited</code> and can be
        sent again. Whoever runs this installation can raise each limit of the project.
      </p>
    </section>
  );
}

function Retention({ project, rate }: Loaded) {
  const days = project.event_retention_days;
  const perDay = rate?.last_24_hours.stored ?? null;
  const kept: readonly (readonly [what: string, howLong: string])[] = [
    ['Events', `${days} days; hourly funnels forever`],
    ['Check results', '30 days; uptime and hourly latency forever'],
    ['Verdicts and maintenance', 'as long as the monitor'],
    ['Deleted monitors', '30 days, for restoring them'],
    ['Alert rules and versions of monitors', '31 days; their changes as long as the audit log'],
    ['Deliveries and notices', '90 days'],
    ['Audit log', '400 days, unless your operator has set AUDIT_DAYS'],
  ];
  return (
    <section class="card">
      <h2>How long data is kept</h2>
      <dl class="retention">
        {kept.map(([what, howLong]) => [<dt key={what}>{what}</dt>, <dd key={howLong}>{howLong}</dd>])}
      </dl>
      <h3>Growth</h3>
      {perDay === null ? (
        <p class="hint">A token with the scope events:read shows how events grow.</p>
      ) : (
        <p>
          {perDay.toLocaleString('en')} events were stored in the last 24 hours. At this pace, about{' '}
          <strong>{forecastEvents(perDay, days).toLocaleString('en')}</strong> events will be kept at any one time.
        </p>
      )}
    </section>
  );
}
