import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { type AlertKind, alertKinds, type Severity, severities } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { timestampSchema } from '../../platform/http/endpoint/parameters.ts';
import { fieldProblem } from '../../platform/http/problem.ts';
import { findGrouping } from '../alert-groups/store.ts';
import { routesOf } from './match.ts';
import { findTargetOf } from './member-target-store.ts';
import { quietOf } from './outbox.ts';
import { addActive, quietEnd } from './quiet-hours.ts';
import { type RouteView, rulesOf } from './route.ts';
import { listRoutes, viewRoute } from './store.ts';

const remindersShown = 3;

/** What is asked: an alert that people could be notified of. */
export const askedSchema = z
  .object({
    labels: z.record(z.string().max(63), z.string().max(200)).optional(),
    monitor_id: z.string().max(40).optional().describe('ID of a monitor, instead of labels.'),
    kind: z.enum(alertKinds).default('down'),
    severity: z.enum(severities).default('p2'),
    at: timestampSchema.optional().describe('Time at which people would be notified of the alert; now by default.'),
  })
  .superRefine(({ labels, monitor_id }, context) => {
    if ((labels === undefined) === (monitor_id === undefined))
      context.addIssue({
        code: 'custom',
        params: { code: 'required' },
        message: 'give either `labels` or `monitor_id`',
      });
  });

export const routePreviewSchema = z
  .object({
    routes: z.array(
      z.object({
        id: z.string(),
        steps: z.array(z.object({ due_at: z.string().nullable(), channel_ids: z.array(z.string()) })),
        reminders: z
          .array(z.object({ due_at: z.string() }))
          .describe('The first three reminders, if nobody acknowledges.'),
        held_until: z
          .string()
          .nullable()
          .describe('End of the quiet hours that the first message falls into; null if there are none.'),
      }),
    ),
  })
  .meta({ title: 'RouteMatch' });
type RoutePreview = z.infer<typeof routePreviewSchema>;

type Asked = {
  labels?: Record<string, string> | undefined;
  monitor_id?: string | undefined;
  kind: AlertKind;
  severity: Severity;
  at: number;
};

/** What routes would do with an alert that comes at an instant. Throws `validation_failed` for an unknown monitor. */
export async function previewRoutes(sql: Sql, projectId: string, asked: Asked): Promise<RoutePreview> {
  const target = asked.monitor_id === undefined ? null : await findTargetOf(sql, projectId, asked.monitor_id);
  if (asked.monitor_id !== undefined && target === null)
    throw fieldProblem('/monitor_id', 'unknown_reference', 'is not a monitor');
  const subject = {
    id: target?.id ?? '',
    name: target?.name ?? '',
    kind: target?.kind ?? 'http',
    labels: target?.labels ?? asked.labels ?? {},
  };
  const routes = (await listRoutes(sql, projectId)).map(viewRoute);
  const { wait_seconds: waitSeconds } = await findGrouping(sql, projectId);
  const firstAt = asked.at + (asked.severity === 'p1' ? 0 : waitSeconds * 1000);
  const found = routesOf(routes, { ...subject, severity: asked.severity, alertKind: asked.kind });
  const previews: RoutePreview['routes'] = [];
  for (const route of found) {
    previews.push(previewRoute(route, asked.severity, firstAt));
    // Wall clocks take time: between two routes the process turns to what waits.
    await setImmediate();
  }
  return { routes: previews };
}

/** Pure: when each step and the first reminders of a route are due, counted from the first message. */
export function previewRoute(
  route: Pick<RouteView, 'id' | 'enabled' | 'steps' | 'remind_every_minutes' | 'quiet_hours'>,
  severity: Severity,
  firstAt: number,
): RoutePreview['routes'][number] {
  const rules = rulesOf(route);
  const quiet = quietOf(rules, { severity });
  const waitsUntil = quietEnd(quiet, firstAt);
  const dueAt = rules.steps.map(({ afterMs }) => addActive(quiet, firstAt, afterMs));
  const timeOf = (ms: number) => (Number.isFinite(ms) ? toTimestamp(ms) : null);
  const { remindMs } = rules;
  const reminders = remindMs === null ? [] : remindersOf(dueAt, at => addActive(quiet, at, remindMs));
  return {
    id: route.id,
    steps: route.steps.map((step, index) => ({
      due_at: timeOf(dueAt[index] ?? firstAt),
      channel_ids: step.channel_ids,
    })),
    reminders: reminders.map(ms => ({ due_at: toTimestamp(ms) })),
    held_until: waitsUntil === null ? null : toTimestamp(waitsUntil),
  };
}

/** The first reminders: each follows the step or reminder before it, and a step that is due first puts it off. */
function remindersOf([first = Number.POSITIVE_INFINITY, ...later]: readonly number[], after: (ms: number) => number) {
  const reminders: number[] = [];
  let last = first;
  for (const step of [...later, Number.POSITIVE_INFINITY]) {
    while (reminders.length < remindersShown && Number.isFinite(last) && after(last) < step) {
      last = after(last);
      reminders.push(last);
    }
    last = step;
  }
  return reminders;
}
