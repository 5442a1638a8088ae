import { appendFact } from '../../../platform/facts/store.ts';
import { type Endpoint, endpoint, largeBody } from '../../../platform/http/endpoint/endpoint.ts';
import { fieldProblem } from '../../../platform/http/problem.ts';
import { requireWithinQuota } from '../../../platform/project-limits/quota-store.ts';
import { publishingCounts } from '../../quotas/store.ts';
import { incidentEntry } from '../audit.ts';
import { importErrors, incidentImportAnswerSchema, incidentImportSchema } from './import.ts';
import { findImported, insertImported, insertImportedUpdates, lockPage } from './store.ts';

export const importedIncidentEndpoints: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: '/v0/incidents/import',
    operation: 'importIncidents',
    summary: 'Import past incidents of another tool, each once; nobody is notified',
    tag: 'Incidents',
    scope: 'incidents:write',
    body: incidentImportSchema,
    bodyLimits: largeBody,
    answers: { 200: incidentImportAnswerSchema },
    audit: ['incident.imported'],
    via: 'import',
    check: (fields, { sql, caller, nowMs }) => importErrors(sql, caller.projectId, fields, nowMs),
    handle: async ({ sql, caller, body, nowMs, record }) => {
      const { projectId } = caller;
      const target = { projectId, status_page_id: body.status_page_id, source: body.source };
      if (!(await lockPage(sql, projectId, body.status_page_id)))
        throw fieldProblem('/status_page_id', 'unknown_reference', 'is not a status page');
      const created = await insertImported(sql, target, body.incidents, nowMs);
      await requireWithinQuota(sql, projectId, publishingCounts.incidents);
      const ids = new Map(created.map(({ id, external_id: externalId }) => [externalId, id]));
      const fresh = body.incidents.flatMap(({ external_id: externalId, updates }) => {
        const id = ids.get(externalId);
        return id === undefined ? [] : [{ id, updates }];
      });
      if (fresh.length > 0) await insertImportedUpdates(sql, target, fresh, nowMs);
      for (const { id } of fresh) {
        const entry = await incidentEntry(sql, { projectId, id }, 'incident.imported');
        await record({ ...entry, after: { ...entry.after, imported_from: body.source } });
      }
      // The page is published anew; nobody is notified.
      const [first] = created;
      const payload = { status_page_id: body.status_page_id };
      if (first !== undefined)
        await appendFact(sql, { kind: 'incident.changed', projectId, subject: first.id, payload }, nowMs);
      const externalIds = body.incidents.map(({ external_id: id }) => id);
      const known = new Map(
        (await findImported(sql, target, externalIds)).map(({ id, external_id: externalId }) => [externalId, id]),
      );
      const items = externalIds.map(externalId => {
        const outcome = ids.has(externalId) ? ('created' as const) : ('unchanged' as const);
        return { external_id: externalId, id: known.get(externalId) ?? '', outcome };
      });
      return { status: 200, body: { created: ids.size, unchanged: items.length - ids.size, items } };
    },
  }),
];
