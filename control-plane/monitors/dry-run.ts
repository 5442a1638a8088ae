import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { monitorPatchSchema, monitorSchema } from './monitor.ts';
import { compareSettings } from './settings.ts';
import type { StoredMonitor } from './store.ts';
import type { MonitorView } from './view.ts';

/** Query of the requests that can be tried. */
export const dryRunQuery = z.strictObject({
  dry_run: z.enum(['true', 'false']).optional().describe('`true`: only say what the request would do'),
});

export const dryRunSchema = z
  .object({
    monitor: monitorSchema.describe('as it would be'),
    changed: z.array(z.string()).describe('fields that would have another value; none for a new monitor'),
    bumps: z.boolean().describe('whether `config_version` would increase and all regions would check at once'),
    drops_votes: z.boolean().describe('whether the votes would be dropped'),
    backtest: z.null().describe('always null for now'),
  })
  .meta({ title: 'MonitorDryRun' });

const settingNames = Object.keys(monitorPatchSchema.shape) as (keyof StoredMonitor['settings'])[];

/** What a request would do. `before` is null for a monitor that would be created or restored. */
export function describeDryRun(
  before: StoredMonitor | null,
  after: StoredMonitor,
  monitor: MonitorView,
): z.infer<typeof dryRunSchema> {
  if (before === null) return { monitor, changed: [], bumps: true, drops_votes: true, backtest: null };
  const { newVersion, dropsVotes } = compareSettings(before.settings, after.settings);
  const changed = settingNames.filter(name => !isDeepStrictEqual(before.settings[name], after.settings[name]));
  return { monitor, changed, bumps: newVersion, drops_votes: dropsVotes, backtest: null };
}
