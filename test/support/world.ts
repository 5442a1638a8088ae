import type { ExecutionContext } from 'ava';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { startTestAgent, type TestAgent } from './agent.ts';
import { requireConsistency } from './consistency.ts';
import { type Api, apiOf, createRegions, createTenant, startReplica, until } from './control-plane.ts';
import { sharedReplica } from './shared-replica.ts';
import { ok, startTarget, type Target } from './target.ts';

/**
 * Control plane, agents and a target as a customer has them; everything ends with the test, which fails if the history
 * is inconsistent by then.
 */
export type World = {
  databaseUrl: string;
  replica: RunningControlPlane;
  api: Api;
  token: string;
  projectId: string;
  regions: readonly string[];
  secrets: Record<string, { id: string; secret: string }>;
  target: Target;
  agents: Record<string, TestAgent>;
  /** Makes a monitor on the target in all regions and waits until it is up. */
  monitor(body?: Record<string, unknown>): Promise<string>;
  status(id: string): Promise<string>;
  alerts(query?: string): Promise<Alert[]>;
};

export type Alert = {
  id: string;
  state: string;
  monitor_id: string;
  regions_failing: string[];
  started_at: string;
  resolved_at: string | null;
};

/** `env` gives one region's agent other settings; without `config` the replica is that of the file. */
export async function openWorld(
  t: ExecutionContext,
  databaseUrl: string,
  regions: readonly string[],
  options: {
    env?: Record<string, Record<string, string>>;
    replicaOf?: (region: string) => RunningControlPlane;
    config?: Partial<ControlPlaneConfig>;
  } = {},
): Promise<World> {
  const secrets = await createRegions(databaseUrl, regions);
  const { token, projectId } = await createTenant(databaseUrl, ['*', 'agents:operate']);
  const { config } = options;
  const replica = await (config === undefined ? sharedReplica(databaseUrl) : startReplica(databaseUrl, config));
  if (config !== undefined) t.teardown(() => replica.stop());
  const target = await startTarget(ok('{"ok":true}'));
  t.teardown(() => target[Symbol.asyncDispose]());
  const agents: Record<string, TestAgent> = {};
  for (const region of regions) {
    const env = { AGENT_SECRET: secrets[region]?.secret ?? '', ...options.env?.[region] };
    const agent = await startTestAgent(options.replicaOf?.(region) ?? replica, { env });
    agents[region] = agent;
    t.teardown(() => agent[Symbol.asyncDispose]());
  }
  t.teardown(() => requireConsistency(databaseUrl, projectId));
  const api = apiOf(replica.url, token);
  const status = async (id: string) => String((await api('GET', `/v0/monitors/${id}`)).body.status);
  return {
    databaseUrl,
    replica,
    api,
    token,
    projectId,
    regions,
    secrets,
    target,
    agents,
    status,
    alerts: async (query = '') => (await api('GET', `/v0/alerts${query}`)).body.data as Alert[],
    monitor: async (body = {}) => {
      const posted = { name: 'story', url: target.url, interval_seconds: 10, timeout_ms: 5000, regions, ...body };
      const made = await api('POST', '/v0/monitors', posted);
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      await until(
        () => status(made.body.id),
        value => value === 'up',
      );
      return made.body.id as string;
    },
  };
}
