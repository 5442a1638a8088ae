import { resources } from '../../platform/project-limits/quota.ts';
import { listQuotaUse, type QuotaUse, setQuota } from '../../platform/project-limits/quota-store.ts';
import { findImportsPerDay, setImportsPerDay } from '../../publishing/subscribers/import-store.ts';
import { type Options, requireOption, requireWholeNumber } from './options.ts';
import { requireProject } from './projects.ts';
import { quotaCounts } from './quota-counts.ts';
import type { CommandServices } from './services.ts';

/** Sets a quota of a project, or with `--maximum plan` returns to its plan's. Returns all quotas with their use. */
export async function changeQuota(options: Options, { sql, record }: CommandServices): Promise<unknown> {
  const { id, name } = await requireProject(options, sql);
  const resource = resources.find(name => name === requireOption(options, 'resource'));
  if (resource === undefined) throw new Error(`--resource must be one of ${resources.join(', ')}.`);
  const maximum = options.maximum === 'plan' ? null : requireWholeNumber(options, 'maximum');
  const maximumOf = (uses: readonly QuotaUse[]) => uses.find(use => use.resource === resource)?.maximum ?? null;
  const before = { [resource]: maximumOf(await listQuotaUse(sql, id, quotaCounts)) };
  await setQuota(sql, id, resource, maximum);
  const uses = await listQuotaUse(sql, id, quotaCounts);
  const after = { [resource]: maximumOf(uses) };
  await record(id, { action: 'project.quota_changed', subject: id, name, before, after });
  return uses;
}

/** Allows a project to import subscribers, up to a number a day, or with `--per-day off` forbids it. */
export async function changeImports(options: Options, { sql, nowMs, record }: CommandServices): Promise<unknown> {
  const { id, name } = await requireProject(options, sql);
  const perDay = options['per-day'] === 'off' ? 0 : requireWholeNumber(options, 'per-day');
  const before = { imports_per_day: await findImportsPerDay(sql, id) };
  await setImportsPerDay(sql, id, perDay, nowMs);
  const after = { imports_per_day: perDay };
  await record(id, { action: 'project.imports_changed', subject: id, name, before, after });
  return { project_id: id, imports_per_day: perDay };
}
