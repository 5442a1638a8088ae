import type { RequestListener } from 'node:http';
import { handUpgradesOver } from '../agents/hand-over.ts';
import { openApi } from '../api.ts';
import { leaseHolder } from '../db/lease.ts';
import { listen } from '../db/listen.ts';
import { sqlOf } from '../db/sql.ts';
import { createEventWriter } from '../events/writer.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createClients } from '../notifications/start.ts';
import { frontTimers } from '../schedule.ts';
import { startTimers } from '../timers.ts';
import type { RoleServices } from './role.ts';

export type Front = AsyncDisposable & { handler: RequestListener; endpoints: readonly Endpoint[] };

const stopWritingMs = 5000;

/** Serves the API, events, pages and the dashboard. Disposing it commits accepted events and closes the server. */
export async function openFrontRole(services: RoleServices): Promise<Front> {
  const { config, pools, storage, pages, server, clock, log, metrics } = services;
  await using opening = new AsyncDisposableStack();
  await pages.sync();
  opening.use(
    listen({
      connectionString: config.databaseUrl,
      log,
      channels: {
        pages: payload =>
          void pages.sync(payload || null).catch(error => log.warn({ err: error }, 'could not read published pages')),
      },
    }),
  );
  opening.use(startTimers(frontTimers(pages), leaseHolder(sqlOf(pools.background)), log));
  const eventWriter = createEventWriter({ pool: pools.ingest, series: storage.series, clock, log, metrics });
  services.writers.set('events', eventWriter.waitingMs);
  const clients = createClients(config);
  opening.defer(() => clients.mailer?.close());
  const { app, endpoints } = openApi({ ...services, eventWriter, clients });
  opening.defer(() => server.close());
  opening.defer(() => eventWriter.stop(stopWritingMs));
  if (!config.roles.includes('gateway')) server.onUpgrade(handUpgradesOver(config.publicUrl));
  const running = opening.move();
  return { handler: app.callback(), endpoints, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
