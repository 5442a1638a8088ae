import type { StepFacts } from '#shared/checks/step-facts.ts';
import type { Votes } from '../../monitoring/monitors/state/state.ts';
import { viewVote } from '../../monitoring/monitors/view.ts';
import type { Sample } from './exposition.ts';

/**
 * Of a good check, null if there was none: latency, ends of certificates, share of packets lost, jitter, value of
 * events, steps.
 */
export type NewestCheck = {
  latencyMs: number | null;
  validTo: number | null;
  clientValidTo?: number | null;
  loss?: number | null;
  jitterMs?: number | null;
  measured?: number | null;
  steps?: readonly Pick<StepFacts, 'name' | 'latency_ms'>[];
  /** Whether each address of the name answered. */
  addresses?: readonly { ok: boolean }[];
};

type Monitor = {
  id: string;
  regions: readonly string[];
  votes: Votes;
  newest: Readonly<Record<string, NewestCheck>>;
};

/** The latency of each step of a region's last check, until its vote expires. */
export function stepLatencies({ id, regions, votes: cast, newest }: Monitor, nowMs: number): Sample[] {
  return regions.flatMap(region => {
    const steps = viewVote(region, cast, nowMs).vote === 'unknown' ? [] : (newest[region]?.steps ?? []);
    return steps.flatMap(({ name: step, latency_ms: ms }) =>
      ms === null ? [] : [{ labels: { monitor_id: id, region, step }, value: ms / 1000 }],
    );
  });
}

/** How many addresses of its name a region's last check knew, and how many answered, until its vote expires. */
export function addressCounts(monitor: Monitor, nowMs: number): (Sample | null)[] {
  const counts = [
    ['answering', ({ addresses = [] }: NewestCheck) => addresses.filter(({ ok }) => ok).length],
    ['total', ({ addresses = [] }: NewestCheck) => addresses.length],
  ] as const;
  return counts.flatMap(([state, count]) =>
    newestOf(monitor, nowMs, check => ((check.addresses?.length ?? 0) === 0 ? null : count(check))).map(
      sample => sample && { ...sample, labels: { ...sample.labels, state } },
    ),
  );
}

export function latencies({ id, regions, votes: cast, newest }: Monitor, nowMs: number): (Sample | null)[] {
  return regions.map(region => {
    const { vote } = viewVote(region, cast, nowMs);
    const latencyMs = vote === 'up' || vote === 'warn' ? (newest[region]?.latencyMs ?? null) : null;
    return latencyMs === null ? null : { labels: { monitor_id: id, region }, value: latencyMs / 1000 };
  });
}

/** A figure of each region's last check, until its vote expires. */
export function newestOf(
  { id, regions, votes: cast, newest }: Monitor,
  nowMs: number,
  pick: (check: NewestCheck) => number | null,
): (Sample | null)[] {
  return regions.map(region => {
    const check = viewVote(region, cast, nowMs).vote === 'unknown' ? undefined : newest[region];
    const value = check === undefined ? null : pick(check);
    return value === null ? null : { labels: { monitor_id: id, region }, value };
  });
}

/** What a region saw says nothing once its vote has expired. */
export function earliestEnd(
  monitor: Monitor,
  nowMs: number,
  pick: (check: NewestCheck) => number | null,
): (Sample | null)[] {
  const { id } = monitor;
  const ends = newestOf(monitor, nowMs, pick).flatMap(sample => sample?.value ?? []);
  return [ends.length === 0 ? null : { labels: { monitor_id: id }, value: Math.min(...ends) / 1000 }];
}
