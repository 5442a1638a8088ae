import { dayMs, minuteMs, secondMs } from '#shared/duration.ts';
import type { Sql } from '../../platform/db/sql.ts';
import type { ValidFields } from '../../platform/http/bodies/parse-body.ts';
import type { FieldError } from '../../platform/http/problem.ts';
import { unknownComponents, unknownMonitors } from '../components/reference-store.ts';
import type { MaintenanceSettings } from './maintenance.ts';
import { givesStart, overlapsItself } from './occurrences/schedule.ts';
import type { AnnouncingPages } from './pages.ts';

const pastMaxMs = 90 * dayMs;
const aheadMaxMs = 400 * dayMs;
const lengthMaxMs = 30 * dayMs;

/** Errors between the fields and against the database. `fields` are those that are valid by themselves. */
export async function maintenanceFaults(
  sql: Sql,
  pages: Pick<AnnouncingPages, 'unknownPages'>,
  projectId: string,
  fields: ValidFields<MaintenanceSettings>,
  nowMs: number,
): Promise<FieldError[]> {
  return [
    ...timeErrors(fields, nowMs),
    ...scopeErrors(fields),
    ...(await referenceErrors(sql, pages, projectId, fields)),
  ];
}

/** Pure: exactly one of the two forms, within its limits. */
function timeErrors(fields: ValidFields<MaintenanceSettings>, nowMs: number): FieldError[] {
  const { starts_at: start = null, ends_at: end = null, schedule = null } = fields;
  if (schedule !== null) {
    const both = (['starts_at', 'ends_at'] as const).filter(name => (fields[name] ?? null) !== null);
    const errors = both.map(name => fault(`/${name}`, 'not_allowed', 'must be null with a schedule'));
    return [...errors, ...scheduleErrors(schedule)];
  }
  if (fields.schedule === undefined) return [];
  const missing = (['starts_at', 'ends_at'] as const).filter(name => fields[name] === null);
  if (missing.length > 0) return missing.map(name => fault(`/${name}`, 'required', 'is required without a schedule'));
  if (start === null || end === null) return [];
  const errors: FieldError[] = [];
  if (start < nowMs - pastMaxMs || start > nowMs + aheadMaxMs)
    errors.push(fault('/starts_at', 'out_of_range', 'must be from 90 days ago to 400 days from now'));
  if (end - start < minuteMs || end - start > lengthMaxMs)
    errors.push(fault('/ends_at', 'out_of_range', 'must be from 60 seconds to 30 days after starts_at'));
  return errors;
}

function scheduleErrors(schedule: NonNullable<MaintenanceSettings['schedule']>): FieldError[] {
  if (!givesStart(schedule)) return [fault('/schedule/start', 'format', 'is not a time that the rrule gives')];
  if (overlapsItself(schedule))
    return [fault('/schedule/duration_seconds', 'out_of_range', 'makes an occurrence last into the next one')];
  return [];
}

function scopeErrors({ scope, announced }: ValidFields<MaintenanceSettings>): FieldError[] {
  if (scope === undefined) return [];
  const isShown = scope.component_ids.length + scope.status_page_ids.length > 0;
  if (!isShown && scope.monitor_ids.length === 0 && scope.selector === null)
    return [fault('/scope', 'required', 'must name monitors, components or status pages')];
  if (announced === true && !isShown)
    return [fault('/scope', 'required', 'must name components or status pages, which announce it')];
  return [];
}

async function referenceErrors(
  sql: Sql,
  pages: Pick<AnnouncingPages, 'unknownPages'>,
  projectId: string,
  { scope }: ValidFields<MaintenanceSettings>,
): Promise<FieldError[]> {
  if (scope === undefined) return [];
  const { monitor_ids, component_ids, status_page_ids } = scope;
  const unknown = {
    monitor_ids: monitor_ids.length === 0 ? [] : await unknownMonitors(sql, projectId, monitor_ids),
    component_ids: await unknownComponents(sql, projectId, component_ids),
    status_page_ids: status_page_ids.length === 0 ? [] : await pages.unknownPages(sql, projectId, status_page_ids),
  };
  const kinds = { monitor_ids: 'monitor', component_ids: 'component', status_page_ids: 'status page' } as const;
  return (['monitor_ids', 'component_ids', 'status_page_ids'] as const).flatMap(name =>
    unknown[name].map(id =>
      fault(`/scope/${name}/${scope[name].indexOf(id)}`, 'unknown_reference', `is not a ${kinds[name]}`),
    ),
  );
}

/** Pure: whether an occurrence may end then. */
export function endErrors(
  occurrence: { starts_at: number; ends_at: number },
  endsAt: number,
  nowMs: number,
): FieldError[] {
  const { starts_at: start, ends_at: end } = occurrence;
  if (endsAt <= end || endsAt <= nowMs) return [fault('/ends_at', 'out_of_range', 'must be after the current end')];
  if (endsAt - start > lengthMaxMs)
    return [fault('/ends_at', 'out_of_range', `must be at most ${lengthMaxMs / dayMs} days after the start`)];
  return [];
}

function fault(pointer: string, code: FieldError['code'], detail: string): FieldError {
  return { pointer, code, detail };
}

/** Local dates up to which occurrences exist as rows. */
export const plannedAheadMs = 90 * dayMs;
export const plannedMax = 200;
export const replanMs = dayMs - 60 * secondMs;
