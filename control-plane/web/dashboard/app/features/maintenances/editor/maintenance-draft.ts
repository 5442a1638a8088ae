import { typedNumber } from '../../../kit/form/typed-number.ts';
import type { Maintenance, MaintenancePost } from '../../../session/api-types.ts';
import { instantOf, localOf } from '../../../session/zoned-time.ts';
import { noRecurrence, type Recurrence, recurrenceOf, ruleOf } from '../recurrence.ts';

export type NotifyKind = Maintenance['notify'][number];
/** A maintenance window while it is edited: texts as they stand in the fields, times local to `timezone`. */
export type MaintenanceDraft = {
  title: string;
  description: string;
  monitorIds: readonly string[];
  selector: string;
  componentIds: readonly string[];
  pageIds: readonly string[];
  timezone: string;
  start: string;
  end: string;
  /** Minutes, of a recurring window. */
  duration: string;
  recurrence: Recurrence;
  exclude: readonly string[];
  alerts: Maintenance['alerts'];
  excludeFromUptime: boolean;
  settleSeconds: string;
  announced: boolean;
  announceBeforeHours: string;
  /** Null until it is touched: what the API takes by default depends on the recurrence. */
  notify: readonly NotifyKind[] | null;
};

const hourMs = 3_600_000;
const minuteMs = 60_000;

/** A new window: an hour, from the next full hour on. */
export function newMaintenance(nowMs: number, timezone: string): MaintenanceDraft {
  const startMs = Math.ceil(nowMs / hourMs) * hourMs;
  return {
    title: '',
    description: '',
    monitorIds: [],
    selector: '',
    componentIds: [],
    pageIds: [],
    timezone,
    start: localOf(startMs, timezone),
    end: localOf(startMs + hourMs, timezone),
    duration: '60',
    recurrence: noRecurrence,
    exclude: [],
    alerts: 'hold',
    excludeFromUptime: true,
    settleSeconds: '60',
    announced: false,
    announceBeforeHours: '72',
    notify: null,
  };
}

export function draftOfMaintenance(maintenance: Maintenance, timezone: string): MaintenanceDraft {
  const { scope } = maintenance;
  return {
    title: maintenance.title,
    description: maintenance.description,
    monitorIds: scope.monitor_ids,
    selector: scope.selector ?? '',
    componentIds: scope.component_ids,
    pageIds: scope.status_page_ids,
    ...timesOf(maintenance, timezone),
    alerts: maintenance.alerts,
    excludeFromUptime: maintenance.exclude_from_uptime,
    settleSeconds: String(maintenance.settle_seconds),
    announced: maintenance.announced,
    announceBeforeHours: String(maintenance.announce_before_hours),
    notify: maintenance.notify,
  };
}

type Times = Pick<MaintenanceDraft, 'timezone' | 'start' | 'end' | 'duration' | 'recurrence' | 'exclude'>;

function timesOf({ schedule, starts_at, ends_at }: Maintenance, timezone: string): Times {
  if (schedule !== null) {
    const startMs = instantOf(schedule.start, schedule.timezone) ?? 0;
    return {
      timezone: schedule.timezone,
      start: schedule.start.slice(0, 16),
      end: localOf(startMs + schedule.duration_seconds * 1000, schedule.timezone),
      duration: String(schedule.duration_seconds / 60),
      recurrence: recurrenceOf(schedule.rrule, schedule.start, schedule.timezone),
      exclude: schedule.exclude,
    };
  }
  const [startMs, endMs] = [Date.parse(starts_at ?? ''), Date.parse(ends_at ?? '')];
  return {
    timezone,
    start: localOf(startMs, timezone),
    end: localOf(endMs, timezone),
    duration: String((endMs - startMs) / minuteMs),
    recurrence: noRecurrence,
    exclude: [],
  };
}

/** A copy to start from: it begins at the next full hour, and lasts as long. */
export function copyOfMaintenance(maintenance: Maintenance, nowMs: number, timezone: string): MaintenanceDraft {
  const draft = draftOfMaintenance(maintenance, timezone);
  const title = `${draft.title} (copy)`;
  if (isRecurring(draft)) return { ...draft, title };
  const { start } = newMaintenance(nowMs, timezone);
  const endMs = (instantOf(start, timezone) ?? nowMs) + typedNumber(draft.duration) * minuteMs;
  return { ...draft, title, start, end: localOf(endMs, timezone) };
}

export function isRecurring({ recurrence }: Pick<MaintenanceDraft, 'recurrence'>): boolean {
  return recurrence.repeat !== 'none';
}

/** What subscribers hear of: what is chosen, else what the API takes by default. */
export function notifyOf(draft: MaintenanceDraft): readonly NotifyKind[] {
  return draft.notify ?? (isRecurring(draft) ? ['updates'] : ['announced', 'updates']);
}

/** The body of POST; `maintenanceChanges` makes that of PATCH from two of them. */
export function maintenanceBody(draft: MaintenanceDraft): MaintenancePost {
  return {
    title: draft.title.trim(),
    description: draft.description,
    scope: {
      monitor_ids: [...draft.monitorIds],
      selector: draft.selector.trim() === '' ? null : draft.selector.trim(),
      component_ids: [...draft.componentIds],
      status_page_ids: [...draft.pageIds],
    },
    ...whenOf(draft),
    alerts: draft.alerts,
    exclude_from_uptime: draft.excludeFromUptime,
    settle_seconds: typedNumber(draft.settleSeconds),
    announced: draft.announced,
    announce_before_hours: typedNumber(draft.announceBeforeHours),
    notify: [...notifyOf(draft)],
  };
}

function whenOf(draft: MaintenanceDraft): Pick<MaintenancePost, 'starts_at' | 'ends_at' | 'schedule'> {
  const { start, end, timezone, recurrence } = draft;
  if (!isRecurring(draft))
    return { starts_at: timestampOf(start, timezone), ends_at: timestampOf(end, timezone), schedule: null };
  return {
    starts_at: null,
    ends_at: null,
    schedule: {
      start: start.length === 16 ? `${start}:00` : start,
      timezone,
      duration_seconds: Math.round(typedNumber(draft.duration) * 60),
      rrule: ruleOf(recurrence, start, timezone),
      exclude: [...draft.exclude],
    },
  };
}

/** Null, which the API asks for, if there is no time. */
function timestampOf(local: string, timezone: string): string | null {
  const ms = instantOf(local, timezone);
  return ms === null ? null : new Date(ms).toISOString();
}

/** The fields that differ: what another operator changed meanwhile stays as it is. */
export function maintenanceChanges(before: MaintenanceDraft, after: MaintenanceDraft): Partial<MaintenancePost> {
  const [old, now] = [maintenanceBody(before), maintenanceBody(after)];
  const names = Object.keys(now) as (keyof MaintenancePost)[];
  const changed = names.filter(name => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return Object.fromEntries(changed.map(name => [name, now[name]]));
}
