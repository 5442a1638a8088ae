import { sqlOf } from '../../platform/db/sql.ts';
import type { Services } from '../../platform/services.ts';
import { listUnadministered } from './unadministered-store.ts';

/** Reminds of projects whose last admin the provider, or an operator, took away: nothing refuses that. */
export async function watchAdmins({ pools, log, metrics }: Services): Promise<void> {
  const projects = await listUnadministered(sqlOf(pools.background));
  metrics.projectsWithoutAdmin.set(projects.length);
  const [first] = projects;
  if (first === undefined) return;
  log.warn({ projects: projects.length, first: first.id }, 'projects have members, and no active admin');
}
