import type { RequestListener } from 'node:http';
import { IngestTallies } from '../analytics/events/tally.ts';
import { addTallies } from '../analytics/events/tally-store.ts';
import { createEventWriter } from '../analytics/events/writer.ts';
import { createClients } from '../delivery/notifications/start.ts';
import { handUpgradesOver } from '../monitoring/agents/hand-over.ts';
import { AskedChecks } from '../monitoring/checks/intake/asked-checks.ts';
import { Waiters } from '../monitoring/probes/waiters.ts';
import { recordServices } from '../monitoring/record-services.ts';
import { attendancePulse } from '../monitoring/signals/attendance.ts';
import { sqlOf } from '../platform/db/sql.ts';
import type { Endpoint } from '../platform/http/endpoint/endpoint.ts';
import { startTimers } from '../platform/timers/start.ts';
import { Previewer } from '../publishing/status-pages/publish/previewer.ts';
import { createChangeFeed } from '../web/changes/feed.ts';
import { listChangeRows } from '../web/changes/store.ts';
import { openApi } from './api.ts';
import type { RoleServices } from './role.ts';

export type Front = AsyncDisposable & { handler: RequestListener; endpoints: readonly Endpoint[] };

const stopWritingMs = 5000;

/** Serves the API, events, pages and the dashboard. Disposing it commits accepted events and closes the server. */
export async function openFrontRole(services: RoleServices): Promise<Front> {
  const { config, pools, series, pages, server, intake, clock, log, metrics } = services;
  await using opening = new AsyncDisposableStack();
  await pages.sync();
  opening.defer(() => pages.settle());
  const waiters = new Waiters();
  opening.use(
    intake.subscribe({
      probed: payload => waiters.wake(payload),
      pages: payload =>
        void pages.sync(payload || null).catch(error => log.warn({ err: error }, 'could not read published pages')),
    }),
  );
  const tallies = new IngestTallies();
  const storeTallies = () => tallies.flush(waiting => addTallies(sqlOf(pools.background), waiting));
  const attendance = attendancePulse(sqlOf(pools.background), intake.outlivesDatabase);
  const recording = { pools, series, hooks: services.hooks.checks, confirm: intake.confirm };
  const signals = intake.results(() => recordServices(recording, new AskedChecks()));
  const timers = [
    { name: 'attendance', everyMs: 2000, run: () => attendance(clock.now(), signals.waitingMs()) },
    { name: 'pages', everyMs: 2000, run: () => pages.sync() },
    { name: 'ingest-tallies', everyMs: 2000, run: storeTallies },
  ];
  opening.use(startTimers(timers, services.timing));
  const eventWriter = intake.events(createEventWriter({ pool: pools.ingest, series, clock, log, metrics }));
  services.writers.set('events', eventWriter.waitingMs);
  metrics.commits.expect('events');
  const clients = createClients(config);
  opening.defer(() => clients.mailer?.close());
  const changes = createChangeFeed({
    read: (projectIds, sinceMs, limit) => listChangeRows(sqlOf(pools.front), projectIds, sinceMs, limit),
    now: () => clock.now(),
    log,
  });
  services.pools.server.onChange(changes.tellEverything);
  const previewer = opening.use(
    new Previewer({
      connectionString: pools.connectionString,
      baseUrl: config.publicUrl,
      canMail: config.smtpUrl !== null,
      logLevel: log.level,
      log,
    }),
  );
  const { app, endpoints } = openApi({
    ...services,
    eventWriter,
    tallies,
    clients,
    changes,
    waiters,
    previewer,
    signals,
  });
  opening.defer(() => storeTallies().catch(error => log.warn({ err: error }, 'could not store the counts of events')));
  opening.defer(() => server.close());
  // Before the server: it waits for its streams.
  opening.use(changes);
  opening.defer(() => eventWriter.stop(stopWritingMs));
  opening.defer(() => signals.stop(stopWritingMs));
  if (!config.roles.includes('gateway')) server.onUpgrade(handUpgradesOver(config.publicUrl));
  const running = opening.move();
  return { handler: app.callback(), endpoints, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
