import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { refuseRepeats } from '../../platform/http/bodies/validate.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { MonitorServices } from './configure.ts';
import { requireAgents } from './kinds/without-agents.ts';
import { unableRegionSchema, unableRegions } from './state/unable.ts';
import { listOnline } from './state/unable-store.ts';
import { lockMonitor, wordsOf } from './store.ts';

/** A monitor can be checked by request once in ten seconds. */
const rate = { perMinute: 6, burst: 1 };

export const checkNowSchema = z.object({
  regions: z
    .array(z.string().max(64))
    .min(1)
    .max(32)
    .superRefine(refuseRepeats)
    .optional()
    .describe('Codes of regions of the monitor; by default all.'),
});

export const checkNowAnswerSchema = z.object({
  at: z.string().describe('The `scheduled_at` of the checks.'),
  regions: z.array(z.string()).describe('Codes of the regions that were asked.'),
  unable_regions: z.array(unableRegionSchema),
});

/**
 * Asks the agents of a monitor to check at once, beside their schedule. Throws `not_found`, `wrong_kind`,
 * `monitor_paused`, `validation_failed` for a region that the monitor does not have, and `rate_limited`.
 */
export async function checkNow(
  sql: Sql,
  { hooks }: MonitorServices,
  { projectId, id }: { projectId: string; id: string },
  only: readonly string[] | undefined,
  nowMs: number,
): Promise<z.infer<typeof checkNowAnswerSchema>> {
  const monitor = await lockMonitor(sql, projectId, id);
  if (monitor === null) throw new Problem('not_found');
  const errors = (only ?? []).flatMap((region, index) =>
    monitor.regions.includes(region)
      ? []
      : [
          {
            pointer: `/regions/${index}`,
            code: 'unknown_reference' as const,
            detail: 'is not a region of the monitor',
          },
        ],
  );
  if (errors.length > 0) throw new Problem('validation_failed', { errors });
  requireAgents(monitor.kind);
  if (!monitor.enabled) throw new Problem('monitor_paused');
  await chargeRequest(sql, `check-now ${id}`, rate);
  const wanted = only ?? monitor.regions;
  const unable = unableRegions(wanted, wordsOf(monitor.needs), await listOnline(sql, wanted));
  const regions = wanted.filter(code => !unable.some(({ region }) => region === code));
  const at = Math.floor(nowMs);
  if (regions.length > 0)
    await hooks.checkWanted(sql, { monitorId: id, projectId, configVersion: monitor.config_version, regions, at });
  return {
    at: toTimestamp(at),
    regions,
    unable_regions: unable,
  };
}
