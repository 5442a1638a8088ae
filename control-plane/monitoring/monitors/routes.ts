import { z } from 'zod';
import type { DomainFacts } from '#shared/checks/facts.ts';
import { monitorKinds } from '#shared/checks/vocabulary.ts';
import type { AddressPolicy } from '#shared/network/guard.ts';
import type { Change } from '../../platform/audit/entry.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { Caller } from '../../platform/http/endpoint/caller.ts';
import { type Answer, type Endpoint, endpoint, type Request } from '../../platform/http/endpoint/endpoint.ts';
import { listOf, type Page, pageInPortions, pageParameters } from '../../platform/http/endpoint/pagination.ts';
import { commaList } from '../../platform/http/endpoint/parameters.ts';
import { Problem } from '../../platform/http/problem.ts';
import { selectorParameter } from '../../platform/selectors/schema.ts';
import { type CurrentWindow, listCurrentWindows } from '../memberships/window-store.ts';
import { changeMonitor, withDefaultPolicy } from './change.ts';
import type { MonitorServices } from './configure.ts';
import { createMonitor } from './create.ts';
import { readDomains } from './domains/view.ts';
import { createDryRuns, dryRunQuery, dryRunSchema, isDryRun, type TryOut } from './dry-run.ts';
import { secretEndpoints } from './heartbeats/secret-routes.ts';
import { type HeartbeatOf, readHeartbeats } from './heartbeats/view.ts';
import { listMonitors } from './list-store.ts';
import { type MonitorPatch, monitorPatchSchema, monitorPostSchema, monitorStatuses, withKind } from './monitor.ts';
import { removeMonitor } from './remove.ts';
import type { MonitorWithState } from './row.ts';
import { monitorSchema, type Summary } from './shown.ts';
import { listOnline } from './state/unable-store.ts';
import { findMonitor } from './store.ts';
import { validateMonitorPatch, validateNewMonitor } from './validate.ts';
import { type MonitorView, viewMonitor } from './view.ts';
import { flowWarnings, monitorWarnings } from './warnings.ts';

export const monitorParams = z.object({ id: z.string().max(40) });

type Params = z.output<typeof monitorParams>;
type NewMonitor = z.output<typeof monitorPostSchema>;
type Target = Pick<Request<Params, unknown, unknown>, 'sql' | 'caller' | 'params' | 'nowMs'>;
type Recording = Target & Pick<Request<unknown, unknown, unknown>, 'record'>;

type Services = MonitorServices & {
  /** The policy by which an address is warned about. */
  reachable: AddressPolicy;
  /** Whether registries are asked about domains. */
  asksRegistries: boolean;
  tryOut: TryOut;
  baseUrl: string;
  /** What lists show of monitors beside their state, by id. */
  summarise(sql: Sql, projectId: string, ids: readonly string[], nowMs: number): Promise<Map<string, Summary>>;
};

export function monitorEndpoints(services: Services): readonly Endpoint[] {
  const dryRun = dryRunSchema(services.tryOut);
  const find = async (sql: Sql, caller: Caller, id: string): Promise<MonitorWithState> => {
    const found = await findMonitor(sql, services.keyring, caller.projectId, id);
    if (found === null) throw new Problem('not_found');
    return found;
  };
  const show = async (sql: Sql, caller: Caller, id: string, nowMs: number, status = 200): Promise<Answer> => {
    const found = await find(sql, caller, id);
    const headers: Record<string, string> = status === 201 ? { Location: `/v0/monitors/${id}` } : {};
    const window = (await listCurrentWindows(sql, [id], nowMs)).get(id);
    const online = await listOnline(sql, found.monitor.settings.regions);
    const heartbeats = await readHeartbeats(sql, services.keyring, [found.monitor], true);
    const domains = await readDomains(sql, [found.monitor]);
    const around = { window, online, heartbeats, domains, baseUrl: services.baseUrl };
    const body = viewMonitor(found, caller.scopes, nowMs, around);
    const warnings = await flowWarnings(sql, services.meter, caller.projectId, body.events);
    return { status, body: warnings.length === 0 ? body : { ...body, warnings }, headers };
  };
  /** After a change of the settings. */
  const showWithWarnings = async (sql: Sql, caller: Caller, id: string, nowMs: number, status = 200) => {
    const answer = await show(sql, caller, id, nowMs, status);
    const monitor = answer.body as MonitorView;
    const { reachable, asksRegistries } = services;
    const warnings = await monitorWarnings(sql, { ...monitor, projectId: caller.projectId }, reachable, asksRegistries);
    return warnings.length === 0 ? answer : { ...answer, body: { ...monitor, warnings } };
  };
  const change = ({ sql, caller, params, nowMs }: Target, patch: MonitorPatch): Promise<Change | null> => {
    const target = { projectId: caller.projectId, id: params.id };
    return changeMonitor(sql, services, target, withDefaultPolicy(patch), nowMs);
  };
  const switchTo = async (request: Recording, enabled: boolean): Promise<Answer> => {
    const changed = await change(request, { enabled });
    if (changed !== null) await request.record({ ...changed, action: enabled ? 'monitor.resumed' : 'monitor.paused' });
    return show(request.sql, request.caller, request.params.id, request.nowMs);
  };
  const create = async (sql: Sql, caller: Caller, body: NewMonitor, nowMs: number) => {
    const created = await createMonitor(sql, services, caller.projectId, withKind(withDefaultPolicy(body)), nowMs);
    const id = created.subject;
    return { created, id, answer: await showWithWarnings(sql, caller, id, nowMs, 201) };
  };
  const dryRuns = createDryRuns({ tryOut: services.tryOut, find, create, change, show: showWithWarnings });
  const [tag, answers] = ['Monitors', { 200: monitorSchema }] as const;
  return [
    ...secretEndpoints({ keyring: services.keyring, show }),
    endpoint({
      method: 'get',
      path: '/v0/monitors',
      summary: 'List monitors, newest first',
      tag,
      scope: 'monitors:read',
      query: z.strictObject({
        ...pageParameters,
        enabled: z.enum(['true', 'false']).optional(),
        selector: selectorParameter.optional(),
        kind: commaList(monitorKinds).optional(),
        status: commaList(monitorStatuses).optional(),
        q: z.string().trim().min(1).max(100).describe('Part of the name, the host or the slug.').optional(),
        include: z.enum(['summary']).describe('`summary` adds uptime and latency to each monitor.').optional(),
      }),
      answers: { 200: listOf(monitorSchema) },
      handle: async ({ sql, caller, query, nowMs }) => {
        const filter = {
          enabled: query.enabled === undefined ? null : query.enabled === 'true',
          selector: query.selector ?? null,
          kinds: query.kind ?? null,
          statuses: query.status ?? null,
          text: query.q ?? null,
        };
        const windows = new Map<string, CurrentWindow>();
        const online = new Map<string, readonly (readonly string[])[]>();
        const summaries = new Map<string, Summary>();
        const heartbeats = new Map<string, HeartbeatOf>();
        const domains = new Map<string, DomainFacts>();
        const read = async (page: Page) => {
          const rows = await listMonitors(sql, services.keyring, caller.projectId, filter, page);
          const ids = rows.map(({ monitor }) => monitor.id);
          for (const [id, window] of await listCurrentWindows(sql, ids, nowMs)) windows.set(id, window);
          const codes = new Set(rows.flatMap(({ monitor }) => monitor.settings.regions));
          const beats = await readHeartbeats(
            sql,
            services.keyring,
            rows.map(row => row.monitor),
            false,
          );
          for (const [id, beat] of beats) heartbeats.set(id, beat);
          const monitors = rows.map(({ monitor }) => monitor);
          for (const [name, facts] of await readDomains(sql, monitors)) domains.set(name, facts);
          for (const [code, agents] of await listOnline(sql, [...codes])) online.set(code, agents);
          if (query.include === 'summary')
            for (const [id, summary] of await services.summarise(sql, caller.projectId, ids, nowMs))
              summaries.set(id, summary);
          return rows;
        };
        const body = await pageInPortions(read, {
          name: 'monitors',
          query,
          keyOf: ({ monitor }) => [monitor.createdAt, monitor.id],
          show: row => {
            const window = windows.get(row.monitor.id);
            const around = { window, online, heartbeats, domains, baseUrl: services.baseUrl };
            const view = viewMonitor(row, caller.scopes, nowMs, around);
            const summary = summaries.get(row.monitor.id);
            return summary === undefined ? view : { ...view, summary };
          },
        });
        return { status: 200, body };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors',
      summary: 'Create a monitor; restores one of the same name that was deleted within 30 days',
      tag,
      scope: 'monitors:write',
      body: monitorPostSchema,
      check: (fields, { sql, caller, sent }) => validateNewMonitor(sql, services, { ...caller, sent }, fields),
      query: dryRunQuery,
      answers: { 200: dryRun, 201: monitorSchema },
      audit: ['monitor.created', 'monitor.restored'],
      handle: async ({ sql, caller, body, nowMs, record }) => {
        const { created, answer } = await create(sql, caller, body, nowMs);
        await record(created);
        return answer;
      },
      dryRun: { isAsked: isDryRun, pool: 'api', handle: dryRuns.creation },
    }),
    endpoint({
      method: 'get',
      path: '/v0/monitors/{id}',
      summary: 'Get a monitor with its status and votes',
      tag,
      scope: 'monitors:read',
      params: monitorParams,
      answers,
      handle: ({ sql, caller, params, nowMs }) => show(sql, caller, params.id, nowMs),
    }),
    endpoint({
      method: 'patch',
      path: '/v0/monitors/{id}',
      summary: 'Update a monitor; arrays and objects are replaced, not merged',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      body: monitorPatchSchema,
      ifMatch: true,
      check: (fields, { sql, caller, params, expectedUpdate }) => {
        const target = { ...caller, id: params.id, expectedUpdate };
        return validateMonitorPatch(sql, services, target, fields);
      },
      query: dryRunQuery,
      answers: { 200: z.union([monitorSchema, dryRun]) },
      audit: ['monitor.updated'],
      handle: async request => {
        const { sql, caller, params, nowMs } = request;
        const changed = await change(request, request.body);
        if (changed !== null) await request.record(changed);
        return showWithWarnings(sql, caller, params.id, nowMs);
      },
      dryRun: { isAsked: isDryRun, pool: 'reports', handle: dryRuns.change },
    }),
    endpoint({
      method: 'delete',
      path: '/v0/monitors/{id}',
      summary: 'Delete a monitor; its history stays available for 30 days',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers: { 204: null },
      ifMatch: true,
      audit: ['monitor.deleted'],
      handle: async ({ sql, caller, params, nowMs, expectedUpdate, record }) => {
        const target = { projectId: caller.projectId, id: params.id, expectedUpdate };
        await record(await removeMonitor(sql, services, target, nowMs));
        return { status: 204 };
      },
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/pause',
      summary: 'Pause a monitor; it is not checked and opens no alerts',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers,
      audit: ['monitor.paused'],
      handle: request => switchTo(request, false),
    }),
    endpoint({
      method: 'post',
      path: '/v0/monitors/{id}/resume',
      summary: 'Resume a monitor; it is checked immediately',
      tag,
      scope: 'monitors:write',
      params: monitorParams,
      answers,
      audit: ['monitor.resumed'],
      handle: request => switchTo(request, true),
    }),
  ];
}
