import { appendFact } from '../../platform/facts/store.ts';
import { type Endpoint, endpoint, largeBody } from '../../platform/http/endpoint/endpoint.ts';
import { Problem } from '../../platform/http/problem.ts';
import { monitorParams } from '../monitors/routes.ts';
import { lockStates } from '../monitors/state/state-store.ts';
import { lockMonitor } from '../monitors/store.ts';
import { historyAnswerSchema, historyErrors, historyPostSchema, rowsOf } from './history.ts';
import { deletePart, endPart, findOwnStart, insertRows } from './store.ts';

export const importedHistoryEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/v0/monitors/{id}/history',
    operation: 'importMonitorHistory',
    summary: 'Import the history of a monitor from another tool, in place of what the same source brought before',
    tag: 'Monitors',
    scope: 'monitors:write',
    params: monitorParams,
    body: historyPostSchema,
    bodyLimits: largeBody,
    answers: { 200: historyAnswerSchema },
    audit: ['monitor.history_imported'],
    via: 'import',
    check: async (fields, { sql, caller, params, nowMs }) => {
      // A monitor of nobody's is not found once the body is valid.
      if ((await lockMonitor(sql, caller.projectId, params.id)) === null) return [];
      return historyErrors(fields, (await findOwnStart(sql, params.id)) ?? nowMs, nowMs);
    },
    handle: async ({ sql, caller, params, body, record, nowMs }) => {
      if ((await lockMonitor(sql, caller.projectId, params.id)) === null) throw new Problem('not_found');
      const { source, from, until } = body;
      const part = { projectId: caller.projectId, monitorId: params.id, source, from, until };
      const rows = rowsOf(body);
      // Whatever judges the monitor waits: its rows are not moved meanwhile.
      const [state] = await lockStates(sql, [params.id]);
      await deletePart(sql, part);
      if (rows.length > 0) {
        await insertRows(sql, part, rows);
        await endPart(sql, part);
      }
      const times = { from: new Date(from).toISOString(), until: new Date(until).toISOString() };
      await record({
        action: 'monitor.history_imported',
        subject: params.id,
        name: null,
        before: {},
        after: { source, ...times, rows: rows.length },
      });
      // Nothing flips, but pages that show the monitor are published anew.
      if (state !== undefined) {
        const payload = { to: state.verdict, since: new Date(state.since).toISOString() };
        await appendFact(
          sql,
          { kind: 'monitor.flipped', projectId: caller.projectId, subject: params.id, payload },
          nowMs,
        );
      }
      return { status: 200, body: { rows: rows.length } };
    },
  }),
];
