import PQueue from 'p-queue';
import { minuteMs, secondMs } from '#shared/duration.ts';
import type { ProjectRoom } from './queue-store.ts';

/** How much of a channel one replica uses at once, and how much of it one project may have. */
export type Share = {
  /** Attempts at once. */
  places: number;
  placesPerProject: number;
  /** Deliveries of a project claimed and not yet settled: more than its places keeps a quick channel busy. */
  claimedPerProject: number;
  /** Whether slow attempts cost a project its places. Not where all attempts go to a server of ours. */
  backsOff: boolean;
};

/** An attempt that took longer counts as a time-out. */
const slowMs = 5 * secondMs;
const backOffMs = minuteMs;

type Lane = { queue: PQueue; claimed: number; slowUntil: number };

/** The places of one channel. A project whose receivers are slow has one place until they are not, for a minute. */
export type Places = {
  /** How many deliveries may be claimed now, in all. */
  free(): number;
  /** What projects may claim that may not claim `claimedPerProject`. */
  rooms(): ProjectRoom[];
  /**
   * Runs an attempt when the project has a place, and then `settle`, which says whether its recipient has more queued
   * deliveries; the claim ends with it.
   */
  run<Result>(
    projectId: string,
    attempt: () => Promise<Result>,
    settle: (result: Result) => Promise<boolean>,
  ): Promise<void>;
  idle(): Promise<void>;
};

/**
 * `now` is monotonic, in milliseconds. `onFree` is called when there is reason to claim: a recipient has more, the
 * channel was full, or half of what a project may claim is free again. A claim for several costs hardly more than one.
 */
export function createPlaces(share: Share, onFree: () => void, now: () => number = () => performance.now()): Places {
  const channel = new PQueue({ concurrency: share.places });
  const lanes = new Map<string, Lane>();
  const claimedMax = (share.places / share.placesPerProject) * share.claimedPerProject;
  let claimed = 0;
  const whenIdle: (() => void)[] = [];

  const laneOf = (projectId: string): Lane => {
    const known = lanes.get(projectId);
    if (known !== undefined) return known;
    const lane = { queue: new PQueue({ concurrency: share.placesPerProject }), claimed: 0, slowUntil: 0 };
    lanes.set(projectId, lane);
    return lane;
  };
  const isSlow = (lane: Lane) => lane.slowUntil > now();
  const end = (lane: Lane, more: boolean) => {
    lane.claimed -= 1;
    claimed -= 1;
    for (const [projectId, { claimed: left, slowUntil }] of lanes)
      if (left === 0 && slowUntil <= now()) lanes.delete(projectId);
    if (claimed === 0) for (const resolve of whenIdle.splice(0)) resolve();
    if (more || lane.claimed <= share.claimedPerProject / 2 || claimed + 1 >= claimedMax) onFree();
  };

  return {
    free: () => claimedMax - claimed,
    rooms: () =>
      [...lanes].map(([project_id, lane]) => ({
        project_id,
        room: Math.max(0, (isSlow(lane) ? 1 : share.claimedPerProject) - lane.claimed),
      })),
    run: async (projectId, attempt, settle) => {
      const lane = laneOf(projectId);
      lane.claimed += 1;
      claimed += 1;
      const timed = async () => {
        const startedAt = now();
        try {
          return await attempt();
        } finally {
          if (share.backsOff && now() - startedAt >= slowMs) lane.slowUntil = now() + backOffMs;
        }
      };
      let more = false;
      try {
        more = await settle(await lane.queue.add(() => channel.add(timed)));
      } finally {
        end(lane, more);
      }
    },
    idle: () => (claimed === 0 ? Promise.resolve() : new Promise(resolve => whenIdle.push(resolve))),
  };
}
