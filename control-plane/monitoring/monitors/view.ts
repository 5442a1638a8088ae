import type { z } from 'zod';
import { toTimestamp } from '#shared/clock.ts';
import { allows } from '../../platform/http/endpoint/caller.ts';
import type { CurrentWindow } from '../memberships/window-store.ts';
import { defaultAlertRules } from './alert-rules.ts';
import { type Domains, viewDomain } from './domains/view.ts';
import { shownEgress } from './egress/egress.ts';
import { type Heartbeats, viewHeartbeat } from './heartbeats/view.ts';
import { shownHttpVersion } from './kinds/http-version.ts';
import { kindOf } from './kinds/kinds.ts';
import { neededOf } from './kinds/rules.ts';
import {
  defaultAlertPolicy,
  effectiveQuorum,
  effectiveTimeoutMs,
  type MonitorSettings,
  withoutOwn,
} from './monitor.ts';
import type { MonitorWithState } from './row.ts';
import { hide } from './secrets/hidden.ts';
import type { monitorSchema } from './shown.ts';
import type { Votes } from './state/state.ts';
import { type OnlineAgents, unableRegions } from './state/unable.ts';
import { votersOf } from './voters.ts';

export type MonitorView = z.infer<typeof monitorSchema>;

/** What a view shows beside the monitor: its window, the agents online, what heartbeats expect and registries say. */
export type Surroundings = {
  window: CurrentWindow | undefined;
  online: OnlineAgents;
  heartbeats?: Heartbeats;
  domains?: Domains;
  baseUrl?: string;
};

/**
 * A monitor as one caller may see it: header values and the body only with `monitors:write`. Expired votes are shown as
 * unknown.
 */
export function viewMonitor(
  { monitor, verdict, since, votes }: MonitorWithState,
  scopes: readonly string[],
  nowMs: number,
  { window, online, heartbeats, domains, baseUrl = '' }: Surroundings,
): MonitorView {
  const mayRead = allows(scopes, 'monitors:write');
  const settings = hide(monitor.settings, ({ sealed }) => sealed || !mayRead);
  const beat = heartbeats?.get(monitor.id);
  return {
    id: monitor.id,
    project_id: monitor.projectId,
    key: null,
    managed_by: null,
    ...withoutOwn(settings),
    kind: settings.kind ?? 'http',
    timeout_ms: effectiveTimeoutMs(settings),
    quorum: effectiveQuorum(settings),
    ...ownView(settings),
    ...(beat === undefined || settings.heartbeat == null
      ? {}
      : viewHeartbeat(settings.heartbeat, beat, { baseUrl, inClear: mayRead, nowMs })),
    ...(settings.domain == null ? {} : { domain: viewDomain(settings.domain.name, domains) }),
    auth: settings.auth ?? null,
    http_version: shownHttpVersion(settings),
    egress: shownEgress(monitor.settings.egress ?? null, settings.egress ?? null),
    alert_policy: settings.alert_policy ?? defaultAlertPolicy,
    alert_rules: shownRules(settings),
    status: verdict as MonitorView['status'],
    status_since: toTimestamp(since),
    votes: votersOf(settings).map(region => viewVote(region, votes, nowMs)),
    maintenance:
      window === undefined
        ? null
        : { id: window.maintenance_id, occurrence_id: window.occurrence_id, ends_at: toTimestamp(window.ends_at) },
    unable_regions: unableRegions(settings.regions, neededOf(monitor.settings, monitor.secretFields), online),
    config_version: monitor.configVersion,
    rules_version: monitor.rulesVersion,
    created_at: toTimestamp(monitor.createdAt),
    updated_at: toTimestamp(monitor.updatedAt),
  };
}

function shownRules({ kind = 'http', alert_rules: rules }: MonitorSettings): MonitorView['alert_rules'] {
  const { certificate, domain, ...others } = rules ?? defaultAlertRules;
  const { hasCertificate } = kindOf(kind);
  return { ...others, certificate: hasCertificate ? certificate : null, domain: kind === 'domain' ? domain : null };
}

/** The object of the monitor's kind. */
function ownView({ kind = 'http', ...settings }: MonitorSettings): Partial<MonitorView> {
  const own = kind === 'http' || kind === 'domain' ? null : settings[kind];
  return own == null ? {} : { [kind]: own };
}

/** A region's vote at an instant: one that has expired is unknown. */
export function viewVote(region: string, votes: Votes, nowMs: number): MonitorView['votes'][number] {
  const vote = votes[region];
  if (vote === undefined)
    return { region, vote: 'unknown', since: null, as_of: null, reason: 'no_result', partial_addresses: null };
  const asOf = vote.as_of === 0 ? null : toTimestamp(vote.as_of);
  const expired = vote.expires_at !== null && vote.expires_at <= nowMs;
  const sinceMs = expired ? (vote.expires_at ?? 0) : vote.since;
  const since = sinceMs === 0 ? null : toTimestamp(sinceMs);
  if (vote.vote !== 'unknown' && !expired) {
    const { partial_addresses = null } = vote;
    return { region, vote: vote.vote, since, as_of: asOf, reason: null, partial_addresses };
  }
  const reason = vote.reason ?? (asOf === null ? 'no_result' : 'expired');
  return { region, vote: 'unknown', since, as_of: asOf, reason, partial_addresses: null };
}
