import { z } from 'zod';
import { alertKinds, alertStates, severities } from '#shared/vocabulary.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { appendFact } from '../../platform/facts/store.ts';
import { type Answer, type Endpoint, endpoint } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, pageOf, pageParameters, readPage } from '../../platform/http/endpoint/pagination.ts';
import { commaList, rangeParameters } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { selectorParameter } from '../../platform/selectors/schema.ts';
import { type AlertView, alertSchema } from './alert.ts';
import { listAlerts } from './list-store.ts';
import { acknowledge } from './state-store.ts';
import { findAlert, viewAlert } from './store.ts';

const params = z.object({ id: z.string().max(40) });

export const alertEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'get',
    path: '/v0/alerts',
    summary: 'List alerts, latest start first',
    tag: 'Alerts',
    scope: 'alerts:read',
    query: z.strictObject({
      ...pageParameters,
      ...rangeParameters,
      state: commaList(alertStates).optional(),
      severity: commaList(severities).optional(),
      monitor_id: z.string().max(40).optional(),
      kind: commaList(alertKinds).optional(),
      held: z
        .enum(['true', 'false'])
        .describe('`true` for alerts whose notifications are delayed by maintenance, `false` for all others.')
        .optional(),
      group_id: z.string().max(40).optional(),
      selector: selectorParameter.optional(),
    }),
    answers: { 200: listOf(alertSchema) },
    handle: async ({ sql, caller, query }) => {
      const filter = {
        states: query.state ?? null,
        severities: query.severity ?? null,
        monitorId: query.monitor_id ?? null,
        kinds: query.kind ?? null,
        held: query.held === undefined ? null : query.held === 'true',
        groupId: query.group_id ?? null,
        selector: query.selector ?? null,
        fromMs: query.from ?? null,
        toMs: query.to ?? null,
      };
      const rows = await listAlerts(sql, caller.projectId, filter, readPage('alerts', query));
      return { status: 200, body: pageOf('alerts', query, rows, row => [row.started_at, row.id], viewAlert) };
    },
  }),
  endpoint({
    method: 'get',
    path: '/v0/alerts/{id}',
    summary: 'Get an alert',
    tag: 'Alerts',
    scope: 'alerts:read',
    params,
    answers: { 200: alertSchema },
    handle: ({ sql, caller, params }) => show(sql, caller.projectId, params.id),
  }),
  endpoint({
    method: 'post',
    path: '/v0/alerts/{id}/acknowledge',
    summary: 'Acknowledge an alert; stops escalation',
    tag: 'Alerts',
    scope: 'alerts:write',
    params,
    answers: { 200: alertSchema },
    audit: ['alert.acknowledged'],
    handle: async ({ sql, caller, params, nowMs, record }) => {
      const acknowledged = await acknowledge(sql, caller.projectId, params.id, caller.actor, nowMs);
      const answer = await show(sql, caller.projectId, params.id);
      const alert = answer.body as AlertView;
      if (alert.state === 'resolved') throw new Problem('alert_resolved');
      if (acknowledged) {
        const payload = { monitor_id: alert.monitor_id };
        const about = { projectId: caller.projectId, subject: alert.id };
        await appendFact(sql, { kind: 'alert.acknowledged', ...about, payload }, nowMs);
        const { id: subject, title: name, state, acknowledged_at } = alert;
        const before = { state: 'open', acknowledged_at: null };
        const after = { state, acknowledged_at };
        await record({ action: 'alert.acknowledged', subject, name, before, after });
      }
      return answer;
    },
  }),
];

async function show(sql: Sql, projectId: string, id: string): Promise<Answer> {
  const row = await findAlert(sql, projectId, id);
  if (row === null) throw new Problem('not_found');
  return { status: 200, body: viewAlert(row) };
}
