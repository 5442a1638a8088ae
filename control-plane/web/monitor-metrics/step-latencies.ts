import type { StepFacts } from '#shared/checks/step-facts.ts';
import type { Votes } from '../../monitoring/monitors/state/state.ts';
import { viewVote } from '../../monitoring/monitors/view.ts';
import type { Sample } from './exposition.ts';

type Monitor = {
  id: string;
  regions: readonly string[];
  votes: Votes;
  newest: Readonly<Record<string, { steps?: readonly Pick<StepFacts, 'name' | 'latency_ms'>[] }>>;
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
