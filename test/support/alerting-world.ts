import type { ExecutionContext } from 'ava';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import { resolveAlertOf } from '#control-plane/monitoring/alerts/state-store.ts';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import type { ResultDetail } from '#control-plane/monitoring/checks/result.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { transaction } from '#control-plane/platform/db/transaction.ts';
import { appendFact } from '#control-plane/platform/facts/store.ts';
import { apiOf, createRegions, createTenant, startReplica, until, withSql } from './control-plane.ts';
import { answer, startTarget } from './target.ts';

export type OpenedAlert = { id: string; monitorId: string };

/** A project with monitors, a stub for its channels, and alerts as judging would open and resolve them. */
export async function openAlertingWorld(
  t: ExecutionContext,
  databaseUrl: string,
  changes: Partial<ControlPlaneConfig> = {},
) {
  const target = await startTarget(answer(200, '{"ok":true}'));
  t.teardown(() => target[Symbol.asyncDispose]());
  let offsetMs = 0;
  const clock = { now: () => Date.now() + offsetMs };
  const replica = await startReplica(databaseUrl, changes, clock);
  t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseUrl);
  const region = `r-${projectId.slice(-8)}`;
  await createRegions(databaseUrl, [region]);
  const api = apiOf(replica.url, token);
  const made = async (path: string, body: unknown) => {
    const reply = await api('POST', path, body);
    if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
    return reply.body;
  };
  return {
    api,
    replica,
    projectId,
    target,
    made,
    clock,
    /** Moves the clock of the replica forward. */
    pass: (ms: number) => {
      offsetMs += ms;
    },
    monitor: async (name: string, more: Record<string, unknown> = {}): Promise<string> =>
      (
        await made('/v0/monitors', {
          name,
          url: `https://${name}.example/`,
          interval_seconds: 60,
          regions: [region],
          ...more,
        })
      ).id,
    /** A channel that gets its messages as JSON of step, title and text. */
    channel: async (name: string): Promise<string> => {
      const template =
        '{"channel":"' +
        name +
        '","step":"{{step}}","title":"{{title}}","text":"{{text}}","link":"{{links.acknowledge}}"}';
      return (await made('/v0/channels', { type: 'http', name, config: { url: `${target.url}${name}`, template } })).id;
    },
    messages: (name: string) =>
      target.requests
        .filter(({ url }) => url === `/${name}`)
        .map(({ body }) => JSON.parse(body) as Record<string, string>),
    /** Opens alerts in one transaction; `address` is what their checks could not connect to. */
    open: (monitors: readonly string[], { address, severity = 'p2' }: { address?: string; severity?: string } = {}) =>
      transaction(replica.pools.background, async sql => {
        const opened: OpenedAlert[] = [];
        for (const monitorId of monitors) {
          if (address !== undefined) await insertFailure(sql, monitorId, region, address, clock.now());
          opened.push({ monitorId, id: await openOne(sql, { projectId, monitorId, region, severity }, clock.now()) });
        }
        return opened;
      }),
    resolve: (alerts: readonly OpenedAlert[]) =>
      transaction(replica.pools.background, async sql => {
        for (const { id, monitorId } of alerts) {
          const resolution = { resolvedAt: clock.now(), lastSeenAt: null, supersededBy: null };
          await resolveAlertOf(sql, monitorId, { kind: 'down', ...resolution });
          const payload = { monitor_id: monitorId };
          await appendFact(sql, { kind: 'alert.resolved', projectId, subject: id, payload }, clock.now());
        }
      }),
    /** Waits until all facts are dispatched and no group has anything due. */
    settled: () =>
      until(
        () =>
          withSql(databaseUrl, async sql => {
            const waiting = await sql.rows`
              select 1 from facts where done_at is null
              union all
              select 1 from alert_groups where due_at <= ${new Date(clock.now()).toISOString()}
              union all
              select 1 from deliveries where state = 'queued' and attempts = 0`;
            return waiting.length;
          }),
        0,
      ),
  };
}

async function openOne(
  sql: Sql,
  {
    projectId,
    monitorId,
    region,
    severity,
  }: { projectId: string; monitorId: string; region: string; severity: string },
  nowMs: number,
): Promise<string> {
  const reason = {
    summary: 'x',
    region,
    expected: null,
    actual: null,
    status_code: null,
    error_code: 'connect_refused',
  };
  const alert = {
    projectId,
    monitorId,
    title: `${monitorId} is down`,
    severity,
    kind: 'down' as const,
    regionsFailing: [region],
    regions: [region],
    rulesVersion: 1,
    openedAt: nowMs,
  };
  const id = await insertAlert(sql, { ...alert, quorum: 1, reason, labels: {}, startedAt: nowMs }, nowMs);
  if (id === null) throw new Error('the monitor has an alert');
  const payload = { monitor_id: monitorId, severity, title: alert.title };
  await appendFact(sql, { kind: 'alert.opened', projectId, subject: id, payload }, nowMs);
  return id;
}

async function insertFailure(
  sql: Sql,
  monitorId: string,
  region: string,
  address: string,
  nowMs: number,
): Promise<void> {
  const detail: ResultDetail = {
    timings: null,
    error: { code: 'connect_refused', message: 'refused' },
    assertions: [],
    remote_ip: address,
    bytes: 0,
    truncated: false,
    tls: null,
  };
  const at = new Date(nowMs).toISOString();
  await sql.run`
    insert into check_results (
      monitor_id, scheduled_at, region, kind, attempt, status, failure_source, agent_id, config_version, started_at,
      completed_at, received_at, detail
    )
    values (
      ${monitorId}, ${at}, ${region}, 'scheduled', 2, 'err', 'target', 'agt_1', 1, ${at}, ${at}, ${at},
      ${JSON.stringify(detail)}
    )`;
}
