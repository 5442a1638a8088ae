import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import type { Answer, StepRequest } from '../../platform/http/endpoint/endpoint.ts';
import { type MonitorPatch, monitorPatchSchema, type monitorPostSchema } from './monitor.ts';
import type { MonitorWithState, StoredMonitor } from './row.ts';
import { hiddenValue } from './secrets/hidden.ts';
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

export function isDryRun(query: z.output<typeof dryRunQuery>): boolean {
  return query.dry_run === 'true';
}

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

type NewMonitor = z.output<typeof monitorPostSchema>;

/** What the requests do that are tried, in the transaction they are given. */
type Acts = {
  tryOut: TryOut;
  find(sql: Sql, caller: Caller, id: string): Promise<MonitorWithState>;
  create(sql: Sql, caller: Caller, body: NewMonitor, nowMs: number): Promise<{ id: string; answer: Answer }>;
  change(
    target: { sql: Sql; caller: Caller; params: { id: string }; nowMs: number },
    patch: MonitorPatch,
  ): Promise<unknown>;
  show(sql: Sql, caller: Caller, id: string, nowMs: number): Promise<Answer>;
};

/** Requests that only say what they would do: their changes are undone. */
export function createDryRuns({ tryOut, find, create, change, show }: Acts) {
  return {
    creation: async ({ caller, body, transact, now }: StepRequest<unknown, unknown, NewMonitor>): Promise<Answer> => {
      const dryRun = await transact(
        async sql => {
          const { id, answer } = await create(sql, caller, body, now());
          return describeDryRun(null, (await find(sql, caller, id)).monitor, answer.body as MonitorView);
        },
        { undo: true },
      );
      return { status: 200, body: dryRun };
    },
    change: async ({
      caller,
      params,
      body,
      transact,
      now,
    }: StepRequest<{ id: string }, unknown, MonitorPatch>): Promise<Answer> => {
      const nowMs = now();
      const [before, after, view] = await transact(
        async sql => {
          const { monitor } = await find(sql, caller, params.id);
          await change({ sql, caller, params, nowMs }, body);
          const answer = await show(sql, caller, params.id, nowMs);
          return [monitor, (await find(sql, caller, params.id)).monitor, answer.body as MonitorView] as const;
        },
        { pool: 'api', undo: true },
      );
      // When nothing is locked any more.
      const backtest = await transact(sql => tryOut.run(sql, before, changesBetween(before, after), nowMs));
      return { status: 200, body: { ...describeDryRun(before, after, view), backtest } };
    },
  };
}

/** What a request would do. `before` is null for a monitor that would be created or restored. */
function describeDryRun(before: StoredMonitor | null, after: StoredMonitor, view: MonitorView): DryRun {
  // Nothing was made that has an address.
  const url = view.kind === 'heartbeat' ? view.url.replace(/[^/]+$/, hiddenValue) : view.url;
  const monitor = { ...view, url };
  if (before === null) return { monitor, changed: [], bumps: true, drops_votes: true, backtest: null };
  const { newVersion, dropsVotes } = compareSettings(before.settings, after.settings);
  const changed = Object.keys(changesBetween(before, after));
  return { monitor, changed, bumps: newVersion, drops_votes: dropsVotes, backtest: null };
}

/** Pure: the settings that differ, as a patch. */
function changesBetween(before: StoredMonitor, after: StoredMonitor): MonitorPatch {
  const changed = settingNames.filter(name => !isDeepStrictEqual(before.settings[name], after.settings[name]));
  return Object.fromEntries(changed.map(name => [name, after.settings[name]]));
}
