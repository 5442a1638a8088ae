import type { ExecutionContext } from 'ava';
import type { ControlPlaneConfig } from '#control-plane/config.ts';
import type { RunningControlPlane } from '#control-plane/control-plane.ts';
import { insertAlert } from '#control-plane/monitoring/alerts/store.ts';
import { type Api, apiOf, createRegions, createTenant, startReplica, withSql } from './control-plane.ts';
import { sharedReplica } from './shared-replica.ts';

/**
 * A project with a status page, one component and one monitor that drives it, and a replica that serves them: its own
 * with `changes`, else the file's.
 */
export type StatusWorld = {
  databaseUrl: string;
  replica: RunningControlPlane;
  api: Api;
  /** Without a token, as a visitor. */
  visit: Api;
  token: string;
  projectId: string;
  page: { id: string; slug: string };
  component: { id: string };
  monitor: { id: string; name: string };
  /** Opens an alert of the monitor as if regions had voted, and returns its id. */
  alert(changes?: Partial<Parameters<typeof insertAlert>[1]>): Promise<string>;
};

let worlds = 0;

export async function openStatusWorld(
  t: ExecutionContext,
  databaseUrl: string,
  changes?: Partial<ControlPlaneConfig>,
): Promise<StatusWorld> {
  const replica = await (changes === undefined ? sharedReplica(databaseUrl) : startReplica(databaseUrl, changes));
  if (changes !== undefined) t.teardown(() => replica.stop());
  return openStatusWorldOn(replica, databaseUrl);
}

/** The same on a replica that somebody else stops. */
export async function openStatusWorldOn(replica: RunningControlPlane, databaseUrl: string): Promise<StatusWorld> {
  worlds += 1;
  const regions = [`st-a${worlds}`, `st-b${worlds}`, `st-c${worlds}`];
  await createRegions(databaseUrl, regions);
  const { token, projectId } = await createTenant(databaseUrl);
  const api = apiOf(replica.url, token);
  const page = (await api('POST', '/v0/status-pages', { name: 'Acme', slug: `acme-${projectId.slice(-10)}` })).body;
  const posted = { name: 'Shop *API*', url: 'http://127.0.0.1:9/?secret=hunter2', interval_seconds: 3600, regions };
  const monitor = (await api('POST', '/v0/monitors', posted)).body;
  const body = { status_page_id: page.id, name: 'API', monitor_ids: [monitor.id] };
  const component = (await api('POST', '/v0/components', body)).body;
  const alert: StatusWorld['alert'] = async (changes = {}) => {
    const id = await withSql(databaseUrl, sql =>
      insertAlert(
        sql,
        {
          projectId,
          monitorId: monitor.id,
          title: `${monitor.name} is down`,
          severity: 'p1',
          regionsFailing: regions.slice(0, 2),
          regions,
          quorum: 2,
          labels: {},
          reason: {
            summary: 'expected body contains "hunter2", got "<html>hunter2"',
            region: regions[0] ?? null,
            expected: 'body contains "hunter2"',
            actual: '<html>hunter2',
            status_code: 200,
            error_code: null,
          },
          openedAt: Date.now() - 60_000,
          kind: 'down' as const,
          rulesVersion: 1,
          startedAt: Date.now() - 60_000,
          ...changes,
        },
        Date.now(),
      ),
    );
    if (id === null) throw new Error('the monitor has an unresolved alert already');
    return id;
  };
  return {
    databaseUrl,
    replica,
    api,
    visit: apiOf(replica.url, ''),
    token,
    projectId,
    page,
    component,
    monitor,
    alert,
  };
}
