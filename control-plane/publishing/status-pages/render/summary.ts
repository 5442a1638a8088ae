import { createHash } from 'node:crypto';
import type { Impact, ShownStatus } from '#shared/vocabulary.ts';
import { worstOf } from '../../../monitoring/components/status.ts';
import { pathPart, toSafeJson } from '../../../platform/markup/escape.ts';
import { languageOf } from '../locale/language.ts';
import { instant } from '../locale/times.ts';
import type {
  MaintenanceUpdate,
  PageComponent,
  PageIncident,
  PageMaintenance,
  PageModel,
  PageUpdate,
} from '../publish/page-model.ts';
import { groupsOf } from './component-list.ts';
import { headlineOf } from './headline.ts';

/**
 * Indicators of the format that status-page clients read (Statuspage's summary.json, v2). It has none for missing data.
 */
const indicators: Record<ShownStatus, 'none' | 'minor' | 'major' | 'critical' | 'maintenance'> = {
  operational: 'none',
  unknown: 'minor',
  under_maintenance: 'maintenance',
  degraded_performance: 'minor',
  partial_outage: 'major',
  major_outage: 'critical',
};
const impacts: Record<Impact, 'none' | 'minor' | 'major' | 'critical'> = {
  none: 'none',
  degraded: 'minor',
  partial: 'major',
  major: 'critical',
};

/**
 * The page as JSON. A component may be `unknown`, which that format lacks: better unexpected than falsely operational.
 */
export function renderSummary(model: PageModel): string {
  const { page } = model;
  const headline = headlineOf(model, languageOf(page.locale).words);
  const groups = new Map(groupsOf(model.components).flatMap(({ name, members }) => groupEntry(page.id, name, members)));
  const components = model.components.map(component => componentOf(page.id, component));
  return toSafeJson({
    page: { id: page.id, name: page.name, url: model.url, time_zone: page.timezone, updated_at: instant(model.asOf) },
    status: { indicator: indicators[headline.status], description: headline.text },
    components: [...groups.values(), ...components],
    incidents: model.openIncidents.map(incident => incidentOf(model, incident)),
    scheduled_maintenances: (model.maintenances ?? [])
      .filter(({ state }) => state === 'scheduled' || state === 'in_progress')
      .map(maintenance => maintenanceOf(model, maintenance)),
  });
}

function groupEntry(pageId: string, name: string | null, members: readonly PageComponent[]): [string, object][] {
  if (name === null) return [];
  const id = groupId(pageId, name);
  const group = {
    id,
    name,
    status: worstOf(members.map(member => member.status)),
    created_at: instant(Math.min(...members.map(member => member.createdAt))),
    updated_at: instant(Math.max(...members.map(member => member.updatedAt))),
    position: members[0]?.position ?? 0,
    description: null,
    showcase: false,
    start_date: null,
    group_id: null,
    page_id: pageId,
    group: true,
    only_show_if_degraded: false,
    components: members.map(member => member.id),
  };
  return [[id, group]];
}

function componentOf(pageId: string, component: PageComponent): object {
  return {
    id: component.id,
    name: component.name,
    status: component.status,
    created_at: instant(component.createdAt),
    updated_at: instant(component.updatedAt),
    position: component.position,
    description: component.description || null,
    showcase: component.days !== null,
    start_date: instant(component.createdAt).slice(0, 10),
    group_id: component.group === null ? null : groupId(pageId, component.group),
    page_id: pageId,
    group: false,
    only_show_if_degraded: false,
  };
}

function incidentOf(model: PageModel, incident: PageIncident): object {
  const affected = new Set(incident.components.map(({ id }) => id));
  const monitoring = incident.updates.findLast(update => update.state === 'monitoring');
  return {
    id: incident.id,
    name: incident.title,
    status: incident.state,
    created_at: instant(incident.createdAt),
    updated_at: instant(incident.updatedAt),
    monitoring_at: monitoring === undefined ? null : instant(monitoring.postedAt),
    resolved_at: incident.resolvedAt === null ? null : instant(incident.resolvedAt),
    impact: impacts[incident.impact],
    shortlink: `${model.url}/incidents/${pathPart(incident.id)}`,
    started_at: instant(incident.startedAt),
    page_id: model.page.id,
    incident_updates: incident.updates.map(update => updateOf(incident.id, update)).reverse(),
    components: model.components
      .filter(({ id }) => affected.has(id))
      .map(component => componentOf(model.page.id, component)),
  };
}

/** Shaped as an incident. While an update says so the state is `verifying`, as that format has it. */
function maintenanceOf(model: PageModel, maintenance: PageMaintenance): object {
  const affected = new Set(maintenance.components.map(({ id }) => id));
  const isVerifying = maintenance.state === 'in_progress' && maintenance.updates.at(-1)?.state === 'verifying';
  return {
    id: maintenance.id,
    name: maintenance.title,
    status: isVerifying ? 'verifying' : maintenance.state,
    created_at: instant(maintenance.createdAt),
    updated_at: instant(maintenance.updatedAt),
    monitoring_at: null,
    resolved_at: null,
    impact: 'maintenance',
    shortlink: `${model.url}/maintenances/${pathPart(maintenance.id)}`,
    started_at: instant(maintenance.startsAt),
    page_id: model.page.id,
    scheduled_for: instant(maintenance.startsAt),
    scheduled_until: instant(maintenance.endsAt),
    incident_updates: maintenance.updates.map(update => updateOf(maintenance.id, update)).reverse(),
    components: model.components
      .filter(({ id }) => affected.size === 0 || affected.has(id))
      .map(component => componentOf(model.page.id, component)),
  };
}

function updateOf(incidentId: string, update: PageUpdate | MaintenanceUpdate): object {
  return {
    id: update.id,
    status: update.state,
    body: update.body,
    incident_id: incidentId,
    created_at: instant(update.postedAt),
    updated_at: instant(update.editedAt ?? update.postedAt),
    display_at: instant(update.postedAt),
    affected_components: null,
    deliver_notifications: true,
  };
}

/** Groups are names in our model and components in that format: the id is stable as long as the name. */
function groupId(pageId: string, name: string): string {
  return `group_${createHash('sha256').update(`${pageId}\n${name}`).digest('hex').slice(0, 26)}`;
}
