import { resources } from '../shares/quota.ts';
import { listQuotaUse, setQuota } from '../shares/quota-store.ts';
import { setImportsPerDay } from '../subscribers/import-store.ts';
import { type Options, requireOption, requireWholeNumber } from './options.ts';
import { requireProject } from './projects.ts';
import type { AdminServices } from './services.ts';

/** Sets a quota of a project, or with `--maximum plan` returns to its plan's. Returns all quotas with their use. */
export async function changeQuota(options: Options, { sql }: AdminServices): Promise<unknown> {
  const { id } = await requireProject(options, sql);
  const resource = resources.find(name => name === requireOption(options, 'resource'));
  if (resource === undefined) throw new Error(`--resource must be one of ${resources.join(', ')}.`);
  const maximum = options.maximum === 'plan' ? null : requireWholeNumber(options, 'maximum');
  await setQuota(sql, id, resource, maximum);
  return listQuotaUse(sql, id);
}

/** Allows a project to import subscribers, up to a number a day, or with `--per-day off` forbids it. */
export async function changeImports(options: Options, { sql, nowMs }: AdminServices): Promise<unknown> {
  const { id } = await requireProject(options, sql);
  const perDay = options['per-day'] === 'off' ? 0 : requireWholeNumber(options, 'per-day');
  await setImportsPerDay(sql, id, perDay, nowMs);
  return { project_id: id, imports_per_day: perDay };
}
