import type { ExecutionContext } from 'ava';
import type { Clock } from '#shared/clock.ts';
import { type Api, apiOf, createRegions, createTenant, type Reply, startReplica } from './control-plane.ts';
import { sharedReplica } from './shared-replica.ts';

/** A project on the file's replica, or with a clock on its own, with private regions and a valid monitor body. */
export type MonitorWorld = {
  url: string;
  api: Api;
  projectId: string;
  token: string;
  regions: readonly string[];
  body: Record<string, unknown>;
  /** Posts the valid body with changes; a field set to undefined is omitted. */
  post(changes?: Record<string, unknown>): Promise<Reply>;
  patch(id: string, changes: unknown): Promise<Reply>;
  /** The API with a token of the project that has only these scopes. */
  apiWith(scopes: readonly string[]): Promise<Api>;
};

export async function openMonitorWorld(
  t: ExecutionContext,
  databaseUrl: string,
  regionCount = 3,
  clock?: Clock,
): Promise<MonitorWorld> {
  const replica = await (clock === undefined ? sharedReplica(databaseUrl) : startReplica(databaseUrl, {}, clock));
  if (clock !== undefined) t.teardown(() => replica.stop());
  const { projectId, token } = await createTenant(databaseUrl);
  const regions = Array.from({ length: regionCount }, (_, index) => `r${index}-${projectId.slice(-10)}`);
  await createRegions(databaseUrl, regions, projectId);
  const api = apiOf(replica.url, token);
  const body = { name: 'm', url: 'https://example.com/', interval_seconds: 60, regions: regions.slice(0, 3) };
  return {
    url: replica.url,
    api,
    projectId,
    token,
    regions,
    body,
    post: changes => api('POST', '/v0/monitors', { ...body, ...changes }),
    patch: (id, changes) => api('PATCH', `/v0/monitors/${id}`, changes),
    apiWith: async scopes =>
      apiOf(replica.url, (await api('POST', '/v0/tokens', { name: 'scoped', scopes })).body.token),
  };
}
