import type { ExecutionContext } from 'ava';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { appendFact } from '#control-plane/platform/facts/store.ts';
import { type Reply, until, withSql } from './control-plane.ts';
import { openStatusWorld, openStatusWorldOn, type StatusWorld } from './status-world.ts';

/** A delivery as the API shows it. */
export type ShownDelivery = {
  id: string;
  kind: string;
  channel: string;
  recipient: string | null;
  recipient_id: string | null;
  state: string;
  attempts: number;
  error: string | null;
};

/** A status world with subscribers and deliveries. */
export type NotificationWorld = StatusWorld & {
  /** Adds an email address with consent, for these components only. */
  subscriber(email: string, componentIds?: readonly string[]): Promise<Reply>;
  webhookSubscriber(url: string): Promise<{ id: string; secret: string }>;
  /** Opens an incident with a first update. Returns its id. */
  incident(changes?: Record<string, unknown>): Promise<string>;
  update(incidentId: string, body: string, state?: string): Promise<void>;
  deliveries(query?: string): Promise<ShownDelivery[]>;
  /** Waits until the deliveries satisfy the condition, and returns them. */
  deliveriesUntil(satisfies: (deliveries: ShownDelivery[]) => boolean, query?: string): Promise<ShownDelivery[]>;
  /** Waits until all facts so far are dispatched. */
  factsDispatched(): Promise<void>;
  /** Makes queued deliveries due now, but for those that are being sent. */
  retryNow(): Promise<void>;
  /** Appends a fact of an alert, as opening, resolving or escalating it would. */
  alertFact(kind: 'alert.opened' | 'alert.resolved' | 'alert.escalated', alertId: string): Promise<void>;
};

export async function openNotificationWorld(
  t: ExecutionContext,
  databaseUrl: string,
  changes?: Partial<ControlPlaneConfig>,
): Promise<NotificationWorld> {
  return withNotifications(await openStatusWorld(t, databaseUrl, changes));
}

/** The same on a replica that somebody else stops. */
export async function openNotificationWorldOn(
  replica: RunningControlPlane,
  databaseUrl: string,
): Promise<NotificationWorld> {
  return withNotifications(await openStatusWorldOn(replica, databaseUrl));
}

function withNotifications(world: StatusWorld): NotificationWorld {
  const { databaseUrl } = world;
  const { api, page } = world;
  const path = `/v0/status-pages/${page.id}/subscribers`;
  const deliveries = async (query = '') =>
    (await api('GET', `/v0/deliveries?limit=200${query}`)).body.data as ShownDelivery[];
  return {
    ...world,
    subscriber: (email, componentIds = []) =>
      api('POST', path, { email, consent: 'a test', component_ids: componentIds }),
    webhookSubscriber: async url => (await api('POST', path, { channel: 'webhook', url })).body,
    incident: async (overrides = {}) => {
      const initial_update = { state: 'investigating', body: 'first' };
      const body = { title: 'Checkout fails', severity: 'p1', status_page_id: page.id, initial_update, ...overrides };
      const created = await api('POST', '/v0/incidents', body);
      if (created.status !== 201) throw new Error(JSON.stringify(created.body));
      return created.body.id as string;
    },
    update: async (incidentId, body, state = 'identified') => {
      await api('POST', `/v0/incidents/${incidentId}/updates`, { state, body });
    },
    deliveries,
    deliveriesUntil: (satisfies, query) => until(() => deliveries(query), satisfies),
    factsDispatched: async () => {
      const pending = () =>
        withSql(databaseUrl, async sql => (await sql.rows`select 1 from facts where done_at is null`).length);
      await until(pending, count => count === 0);
    },
    retryNow: () =>
      withSql(databaseUrl, async sql => {
        await sql.run`
          update deliveries set due_at = now(), leased_until = null
          where state = 'queued' and (leased_until is null or leased_until <= now())`;
        await sql.run`
          update delivery_queues set due_at = now(), leased_until = null, revision = revision + 1
          where leased_until is null or leased_until <= now()`;
      }),
    alertFact: (kind, alertId) =>
      withSql(databaseUrl, async sql => {
        const payload = { monitor_id: world.monitor.id, severity: 'p1', title: 'down' };
        const about = { projectId: world.projectId, subject: alertId, payload };
        await appendFact(sql, { kind, ...about } as Parameters<typeof appendFact>[1], Date.now());
      }),
  };
}
