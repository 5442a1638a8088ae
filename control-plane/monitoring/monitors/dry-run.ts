import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import { type MonitorPatch, monitorPatchSchema } from './monitor.ts';
import type { StoredMonitor } from './row.ts';
import { compareSettings } from './settings.ts';
import { monitorSchema } from './shown.ts';
import type { MonitorView } from './view.ts';

/** Query of the requests that can be tried. */
export const dryRunQuery = z.strictObject({
  dry_run: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true` changes nothing: the response shows what the request would do.'),
});

/** How the change of a monitor would have done, by later parts of the program: null if they cannot tell. */
export type TryOut = {
  schema: z.ZodType;
  run(sql: Sql, monitor: StoredMonitor, changes: MonitorPatch, nowMs: number): Promise<unknown>;
};

export const dryRunSchema = (tryOut: TryOut) =>
  z
    .object({
      monitor: monitorSchema.describe('The monitor as it would be after the request.'),
      changed: z
        .array(z.string())
        .describe('Names of the fields that would have another value; empty for a new monitor.'),
      bumps: z.boolean().describe('Whether `config_version` would increase and all regions would check at once.'),
      drops_votes: z.boolean().describe('Whether the votes of all regions would be dropped.'),
      backtest: tryOut.schema
        .nullable()
        .describe(
          'Back-test of the last 24 hours with the changes that can be replayed; null if there are none, for a ' +
            'new monitor, and if it would take too long.',
        ),
    })
    .meta({ title: 'MonitorDryRun' });

const settingNames = Object.keys(monitorPatchSchema.shape) as (keyof StoredMonitor['settings'])[];

type DryRun = { monitor: MonitorView; changed: string[]; bumps: boolean; drops_votes: boolean; backtest: null };

/** What a request would do. `before` is null for a monitor that would be created or restored. */
export function describeDryRun(before: StoredMonitor | null, after: StoredMonitor, monitor: MonitorView): DryRun {
  if (before === null) return { monitor, changed: [], bumps: true, drops_votes: true, backtest: null };
  const { newVersion, dropsVotes } = compareSettings(before.settings, after.settings);
  const changed = Object.keys(changesBetween(before, after));
  return { monitor, changed, bumps: newVersion, drops_votes: dropsVotes, backtest: null };
}

/** Pure: the settings that differ, as a patch. */
export function changesBetween(before: StoredMonitor, after: StoredMonitor): MonitorPatch {
  const changed = settingNames.filter(name => !isDeepStrictEqual(before.settings[name], after.settings[name]));
  return Object.fromEntries(changed.map(name => [name, after.settings[name]]));
}
