import type { ExecutionContext } from 'ava';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import { appendFact } from '#control-plane/facts/store.ts';
import { type Reply, until, withSql } from './control-plane.ts';
import { openStatusWorld, type StatusWorld } from './status-world.ts';

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

/** A status world whose subscribers are told. */
export type NotificationWorld = StatusWorld & {
  /** Enters an address that agreed, for these components only. */
  subscriber(email: string, componentIds?: readonly string[]): Promise<Reply>;
  webhookSubscriber(url: string): Promise<{ id: string; secret: string }>;
  /** Opens an incident with a first update; its id. */
  incident(changes?: Record<string, unknown>): Promise<string>;
  update(incidentId: string, body: string, state?: string): Promise<void>;
  deliveries(query?: string): Promise<ShownDelivery[]>;
  /** Waits until the deliveries satisfy. */
  told(satisfies: (deliveries: ShownDelivery[]) => boolean, query?: string): Promise<ShownDelivery[]>;
  /** Waits until every fact so far was followed. */
  followed(): Promise<void>;
  /** Makes what waits for its next attempt due now. */
  hurry(): Promise<void>;
  /** Appends a fact of an alert as its stage would. */
  alertFact(kind: 'alert.opened' | 'alert.resolved' | 'alert.escalated', alertId: string): Promise<void>;
};

export async function openNotificationWorld(
  t: ExecutionContext,
  databaseUrl: string,
  changes: Partial<ControlPlaneConfig> = {},
): Promise<NotificationWorld> {
  const world = await openStatusWorld(t, databaseUrl, changes);
  const { api, page } = world;
  const path = `/v0/status-pages/${page.id}/subscribers`;
  const deliveries = async (query = '') =>
    (await api('GET', `/v0/deliveries?limit=200${query}`)).body.data as ShownDelivery[];
  return {
    ...world,
    subscriber: (email, componentIds = []) =>
      api('POST', path, { email, consent: 'a test', component_ids: componentIds }),
    webhookSubscriber: async url => (await api('POST', path, { channel: 'webhook', url })).body,
    incident: async (changed = {}) => {
      const initial_update = { state: 'investigating', body: 'first' };
      const body = { title: 'Checkout fails', severity: 'p1', status_page_id: page.id, initial_update, ...changed };
      const made = await api('POST', '/v0/incidents', body);
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      return made.body.id as string;
    },
    update: async (incidentId, body, state = 'identified') => {
      await api('POST', `/v0/incidents/${incidentId}/updates`, { state, body });
    },
    deliveries,
    told: (satisfies, query) => until(() => deliveries(query), satisfies),
    followed: async () => {
      const undone = () =>
        withSql(databaseUrl, async sql => (await sql.rows('select 1 from facts where done_at is null')).length);
      await until(undone, count => count === 0);
    },
    hurry: () =>
      withSql(databaseUrl, async sql => {
        await sql.run("update deliveries set due_at = now(), leased_until = null where state = 'queued'");
      }),
    alertFact: (kind, alertId) =>
      withSql(databaseUrl, async sql => {
        const payload = { monitor_id: world.monitor.id, severity: 'p1', title: 'down' };
        const about = { projectId: world.projectId, subject: alertId, payload };
        await appendFact(sql, { kind, ...about } as Parameters<typeof appendFact>[1], Date.now());
      }),
  };
}
