import type { ExecutionContext } from 'ava';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import type { NatsSettings } from '#control-plane/operations/intake/settings.ts';
import { type Api, apiOf, createRegions, createTenant, startReplica, until, withSql } from './control-plane.ts';
import { createDatabase } from './database.ts';
import { connectFakeAgent, type FakeAgent } from './fake-agent.ts';
import { type SeverableDatabase, severable } from './severable-database.ts';

/** A replica whose way to the database can be cut, with one monitor, and an agent for each of its regions. */
export type IntakeWorld = {
  databaseUrl: string;
  way: SeverableDatabase;
  replica: RunningControlPlane;
  api: Api;
  projectId: string;
  monitorId: string;
  regions: readonly string[];
  connect(region: string): Promise<FakeAgent>;
  /** Another process on the same database and the same streams. */
  another(changes?: Parameters<typeof startReplica>[1]): Promise<RunningControlPlane>;
  /** How often each result is stored, by region and slot. */
  storedResults(): Promise<string[]>;
  /** How often each name of an event is stored. */
  storedEvents(): Promise<Record<string, number>>;
};

/** Tries again like an agent: a replica that did not hear of the database in time sends it away. */
async function connectPatiently(url: string, secret: string): Promise<FakeAgent> {
  const agent = await until(
    () => connectFakeAgent(url, secret).catch((error: Error) => error),
    tried => !(tried instanceof Error),
  );
  return agent as FakeAgent;
}

export async function openIntakeWorld(
  t: ExecutionContext,
  nats: NatsSettings | null,
  body: Record<string, unknown> = {},
): Promise<IntakeWorld> {
  const database = await createDatabase();
  t.teardown(() => database.drop());
  const way = await severable(database.url);
  t.teardown(() => way[Symbol.asyncDispose]());
  const prefix = `t${Math.random().toString(36).slice(2, 10)}`;
  const intake = { nats: nats === null ? null : { ...nats, prefix } };
  const another = async (changes = {}) => {
    const replica = await startReplica(way.url, { ...intake, ...changes });
    t.teardown(() => replica.stop());
    return replica;
  };
  const replica = await another();
  const regions = ['in-a', 'in-b', 'in-c'];
  const agents = await createRegions(database.url, regions);
  const { projectId, token } = await createTenant(database.url);
  const api = apiOf(replica.url, token);
  const monitor = { name: 'm', url: 'http://127.0.0.1:1/', interval_seconds: 10, timeout_ms: 1000, regions, ...body };
  const made = await api('POST', '/v0/monitors', monitor);
  return {
    databaseUrl: database.url,
    way,
    replica,
    api,
    projectId,
    monitorId: String(made.body.id),
    regions,
    connect: region => connectPatiently(replica.url, agents[region]?.secret ?? ''),
    another,
    storedResults: () =>
      withSql(database.url, async sql => {
        const rows = await sql.rows<{ region: string; scheduled_at: number; attempt: number }>`
          select region, scheduled_at, attempt
          from check_results
          order by region, scheduled_at, attempt`;
        return rows.map(row => `${row.region} ${row.scheduled_at} ${row.attempt}`);
      }),
    storedEvents: () =>
      withSql(database.url, async sql => {
        const rows = await sql.rows<{ name: string; count: number }>`
          select name, count(*)::int as count
          from events
          where project_id = ${projectId}
          group by name`;
        return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
      }),
  };
}
