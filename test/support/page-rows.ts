import { insertComponent } from '#control-plane/monitoring/components/store.ts';
import type { Sql } from '#control-plane/platform/db/sql.ts';
import { createKeyring } from '#control-plane/platform/secrets/keyring.ts';
import { insertIncident } from '#control-plane/publishing/incidents/store.ts';
import { statusPagePostSchema } from '#control-plane/publishing/status-pages/status-page.ts';
import { insertStatusPage } from '#control-plane/publishing/status-pages/store.ts';
import { newId } from '#shared/ids.ts';
import { createTenant, testSecretKey, withSql } from './control-plane.ts';

export const testKeyring = createKeyring([testSecretKey]);

/** A project with a status page, for tests of stores: no replica runs. */
export type PageRows = { projectId: string; statusPageId: string };

export async function createPage(databaseUrl: string): Promise<PageRows> {
  const { projectId } = await createTenant(databaseUrl);
  const statusPageId = await withSql(databaseUrl, sql => insertPage(sql, projectId));
  return { projectId, statusPageId };
}

async function insertPage(sql: Sql, projectId: string): Promise<string> {
  const slug = newId('sp', Date.now()).toLowerCase().replaceAll('_', '-');
  const posted = { ...statusPagePostSchema.parse({ name: 'Acme' }), slug };
  const id = await insertStatusPage(sql, projectId, posted, Date.now());
  if (id === null) throw new Error('the slug is taken');
  return id;
}

export async function createComponent(sql: Sql, page: PageRows, name = 'API'): Promise<string> {
  const defaults = { description: '', group: null, position: null, status: 'operational', show_uptime: true } as const;
  const bindings = { monitor_ids: [], monitor_selector: null };
  const posted = { status_page_id: page.statusPageId, name, ...bindings, ...defaults };
  return insertComponent(sql, page.projectId, posted, Date.now());
}

export async function createIncident(
  sql: Sql,
  page: PageRows,
  affectedComponents: readonly string[] = [],
): Promise<string> {
  const fields = { alertId: null, title: 'x', severity: 'p1', impact: 'major', startedAt: 0 } as const;
  const id = await insertIncident(sql, { ...page, ...fields, affectedComponents }, Date.now());
  if (id === null) throw new Error('there is no such page');
  return id;
}
