import { checkStatuses } from '#shared/check-result.ts';
import { dayMs } from '#shared/duration.ts';
import type { Checks } from '../../monitoring/checks/roll-up/check-counts.ts';
import type { Labels } from '../../monitoring/monitors/labels/labels.ts';
import { monitorStatuses } from '../../monitoring/monitors/monitor.ts';
import type { Votes } from '../../monitoring/monitors/state/state.ts';
import { viewVote } from '../../monitoring/monitors/view.ts';
import type { Family, Sample } from './exposition.ts';
import { addressCounts, earliestEnd, latencies, type NewestCheck, newestOf, stepLatencies } from './newest-checks.ts';

/** What the metrics of a project are made from, all of one instant. */
export type Facts = {
  monitors: readonly MonitorFacts[];
  alerts: readonly { monitor_id: string; kind: string; severity: string; state: string; held: boolean }[];
  agents: readonly { region: string; state: string; agents: number }[];
  /** None if the caller may not see them. */
  channels: readonly { id: string; name: string; type: string; failing: boolean }[];
};

export type MonitorFacts = {
  id: string;
  name: string;
  kind: string;
  labels: Labels;
  regions: readonly string[];
  verdict: string;
  since: number;
  votes: Votes;
  /** The check that cast or refreshed a vote, by region. */
  newest: Readonly<Record<string, NewestCheck>>;
  /** All checks so far, by region; absent where there are none. */
  checks: Readonly<Record<string, Checks>>;
  /** Failed checks so far, also in regions that it has left. */
  failures: readonly { region: string; reason: string; failures: number }[];
  /** Of the last days, by the name of the window; absent where nothing was observed. */
  uptimes: Readonly<Record<string, number>>;
  /** Of a heartbeat and of a domain, in milliseconds; null of other kinds and where it is not known. */
  last_success_at?: number | null;
  expected_at?: number | null;
  domain_ends_at?: number | null;
  /** Whether it is in a maintenance window. */
  maintained: boolean;
};

const labelsMax = 20;
/** Windows of uptime, by name. */
export const windows = [
  ['1d', dayMs],
  ['7d', 7 * dayMs],
  ['30d', 30 * dayMs],
] as const;
const votes = ['up', 'warn', 'down', 'unknown'] as const;

/** Pure: all metrics of monitors at an instant, made as they are read. What is not known is absent, never 0. */
export function monitorFamilies({ monitors, alerts, agents, channels }: Facts, nowMs: number): Family[] {
  const each = (samplesOf: (monitor: MonitorFacts) => readonly (Sample | null)[]) => samplesOfEach(monitors, samplesOf);
  const gauge = (name: string, help: string, samples: Iterable<Sample>): Family => {
    return { name: `upquorum_${name}`, type: 'gauge', help, samples };
  };
  const counter = (name: string, help: string, samples: Iterable<Sample>): Family => {
    return { name: `upquorum_${name}`, type: 'counter', help, samples };
  };
  return [
    { name: 'upquorum_monitor', type: 'info', help: 'Name, kind and labels of a monitor', samples: each(info) },
    gauge('monitor_up', '1 if up or degraded, 0 if down', each(up)),
    gauge('monitor_status', '1 for the current status of a monitor', each(status)),
    gauge('monitor_status_since_timestamp_seconds', 'When the current status began', each(statusSince)),
    gauge(
      'monitor_vote',
      '1 for the current vote of a region',
      each(monitor => voteSamples(monitor, nowMs)),
    ),
    gauge('monitor_last_check_timestamp_seconds', 'When the last check of a region completed', each(lastChecks)),
    gauge(
      'monitor_latency_seconds',
      'Latency of the last good check of a region, until its vote expires',
      each(monitor => latencies(monitor, nowMs)),
    ),
    gauge(
      'monitor_ping_loss_ratio',
      'Share of the packets of the last ping of a region without a reply, until its vote expires',
      each(monitor => newestOf(monitor, nowMs, ({ loss }) => loss ?? null)),
    ),
    gauge(
      'monitor_ping_jitter_seconds',
      'Mean difference of neighbouring replies of the last ping of a region, until its vote expires',
      each(monitor => newestOf(monitor, nowMs, ({ jitterMs }) => (jitterMs == null ? null : jitterMs / 1000))),
    ),
    gauge(
      'monitor_measured',
      'Newest value of stored events, until its vote expires',
      each(monitor => newestOf(monitor, nowMs, ({ measured }) => measured ?? null)),
    ),
    gauge(
      'monitor_addresses',
      'Addresses of the name of a monitor that watches each, until the vote of the region expires',
      each(monitor => addressCounts(monitor, nowMs)),
    ),
    gauge(
      'monitor_step_latency_seconds',
      'Latency of each step of the last check of a region, until its vote expires',
      each(monitor => stepLatencies(monitor, nowMs)),
    ),
    gauge(
      'monitor_heartbeat_last_success_timestamp_seconds',
      'When the last success of a heartbeat came',
      each(({ id, last_success_at: at }) => [at == null ? null : { labels: { monitor_id: id }, value: at / 1000 }]),
    ),
    gauge(
      'monitor_heartbeat_expected_timestamp_seconds',
      'When the next success of a heartbeat is expected',
      each(({ id, expected_at: at }) => [at == null ? null : { labels: { monitor_id: id }, value: at / 1000 }]),
    ),
    gauge(
      'monitor_domain_expiry_timestamp_seconds',
      'When the registration of a domain ends',
      each(({ id, domain_ends_at: at }) => [at == null ? null : { labels: { monitor_id: id }, value: at / 1000 }]),
    ),
    counter('monitor_checks', 'Checks by region and status', each(checks)),
    counter('monitor_failures', 'Failed checks by region and what failed', each(failures)),
    gauge(
      'monitor_certificate_expiry_timestamp_seconds',
      'Earliest end of the certificates that regions saw last',
      each(monitor => earliestEnd(monitor, nowMs, ({ validTo }) => validTo)),
    ),
    gauge(
      'monitor_client_certificate_expiry_timestamp_seconds',
      'End of the client certificate of the checks of a monitor',
      each(monitor => earliestEnd(monitor, nowMs, ({ clientValidTo }) => clientValidTo ?? null)),
    ),
    gauge('monitor_maintenance', '1 in a maintenance window, else 0', each(maintenance)),
    gauge(
      'monitor_uptime_ratio',
      'Uptime of the last days, without paused, maintenance and undetermined time',
      each(uptimes),
    ),
    gauge('monitor_alerts_open', '1 for each unresolved alert', alerts.map(alertSample)),
    gauge('channel_failing', '1 if the deliveries of a channel fail, else 0', channels.map(channelSample)),
    gauge(
      'region_agents',
      'Agents of a region by state',
      agents.map(({ region, state, agents: value }) => ({ labels: { region, state }, value })),
    ),
  ];
}

function* samplesOfEach(
  monitors: readonly MonitorFacts[],
  samplesOf: (monitor: MonitorFacts) => readonly (Sample | null)[],
): Generator<Sample> {
  for (const monitor of monitors) for (const sample of samplesOf(monitor)) if (sample !== null) yield sample;
}

/** Keys of labels in code-point order; of two that become the same name the first is shown. */
function info({ id, name, kind, labels }: MonitorFacts): Sample[] {
  const named = new Map<string, string>();
  for (const key of Object.keys(labels).sort()) {
    const label = `label_${key.replaceAll(/[.-]/g, '_')}`;
    if (!named.has(label) && named.size < labelsMax) named.set(label, labels[key] ?? '');
  }
  return [{ labels: { monitor_id: id, name, kind, ...Object.fromEntries(named) }, value: 1 }];
}

function up({ id, verdict }: MonitorFacts): (Sample | null)[] {
  const isGood = verdict === 'up' || verdict === 'degraded';
  return [isGood || verdict === 'down' ? { labels: { monitor_id: id }, value: isGood ? 1 : 0 } : null];
}

function status({ id, verdict }: MonitorFacts): Sample[] {
  return monitorStatuses.map(name => ({ labels: { monitor_id: id, status: name }, value: name === verdict ? 1 : 0 }));
}

function statusSince({ id, since }: MonitorFacts): Sample[] {
  return [{ labels: { monitor_id: id }, value: since / 1000 }];
}

function voteSamples({ id, regions, votes: cast }: MonitorFacts, nowMs: number): Sample[] {
  return regions.flatMap(region => {
    const { vote: current } = viewVote(region, cast, nowMs);
    return votes.map(vote => ({ labels: { monitor_id: id, region, vote }, value: vote === current ? 1 : 0 }));
  });
}

function lastChecks({ id, regions, votes: cast }: MonitorFacts): (Sample | null)[] {
  return regions.map(region => {
    const judgedAt = cast[region]?.judged_at ?? 0;
    return judgedAt === 0 ? null : { labels: { monitor_id: id, region }, value: judgedAt / 1000 };
  });
}

/** Zeros, too: the first check would not be seen as an increase of a counter that was absent. */
function checks({ id, regions, checks: known }: MonitorFacts): Sample[] {
  return regions.flatMap(region =>
    checkStatuses.map(status => ({
      labels: { monitor_id: id, region, status },
      value: known[region]?.[status] ?? 0,
    })),
  );
}

function failures({ id, regions, failures: known }: MonitorFacts): Sample[] {
  return known.flatMap(({ region, reason, failures: value }) =>
    regions.includes(region) ? { labels: { monitor_id: id, region, reason }, value } : [],
  );
}

function uptimes({ id, uptimes: known }: MonitorFacts): (Sample | null)[] {
  return windows.map(([window]) => {
    const uptime = known[window];
    return uptime === undefined ? null : { labels: { monitor_id: id, window }, value: uptime };
  });
}

function maintenance({ id, maintained }: MonitorFacts): Sample[] {
  return [{ labels: { monitor_id: id }, value: maintained ? 1 : 0 }];
}

function alertSample({ monitor_id, kind, severity, state, held }: Facts['alerts'][number]): Sample {
  return { labels: { monitor_id, kind, severity, state, held: String(held) }, value: 1 };
}

function channelSample({ id, name, type, failing }: Facts['channels'][number]): Sample {
  return { labels: { channel_id: id, name, type }, value: failing ? 1 : 0 };
}
