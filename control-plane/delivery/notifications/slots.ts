import { minuteMs, secondMs } from '#shared/duration.ts';
import { Bulkhead } from '#shared/fairness/bulkhead.ts';
import { wait } from '#shared/wait.ts';
import type { ProjectCapacity } from './queue-store.ts';

/** How much of a channel one replica uses at once, and how much of it one project may have. */
export type Capacity = {
  /** Attempts at once. */
  slots: number;
  slotsPerProject: number;
  /** Deliveries of a project claimed and not yet settled: more than its slots keeps a quick channel busy. */
  claimedPerProject: number;
  /** Where attempts go on that take long: they leave their slot to others. Null if all go to a server of ours. */
  slow: { slots: number; slotsPerProject: number } | null;
};

/** An attempt that takes longer goes on in a slot for slow ones. */
const slowAfterMs = 500;
/** A recipient whose attempt took so long begins in a slot for slow ones, for a minute. */
const hangingMs = 5 * secondMs;
const rememberMs = minuteMs;
const rememberedMax = 10_000;

type Usage = { claimed: number; slow: number; concurrency: number };
type Recipient = { project_id: string; recipient: string };
type Remembered = { projectId: string; untilMs: number };
type SlotTime = { now(): number; wait(ms: number, options: { signal: AbortSignal }): Promise<unknown> };

/**
 * The slots of one channel. A receiver that hangs takes a slot from nobody for more than half a second. A project
 * with more slow attempts than it may have gets one slot for further ones, until some end.
 */
export type Slots = {
  /** How many deliveries may be claimed now, in all. */
  free(): number;
  /** What projects may claim that may not claim `claimedPerProject`. */
  capacities(): ProjectCapacity[];
  /** Recipients that hung lately and have to wait, because their project has no slot for another slow attempt. */
  leftOut(): string[];
  /**
   * Runs an attempt when the project has a slot, and then `settle`, which says whether its recipient has more queued
   * deliveries; the claim ends with it.
   */
  run<Result>(
    to: Recipient,
    attempt: () => Promise<Result>,
    settle: (result: Result) => Promise<boolean>,
  ): Promise<void>;
  idle(): Promise<void>;
};

const processTime: SlotTime = {
  now: () => performance.now(),
  wait: (ms, { signal }) => wait(ms, { signal, ref: false }),
};

/**
 * `time` is monotonic, in milliseconds. `onFree` is called when there is reason to claim: a recipient has more, the
 * channel was full, an attempt left its slot, or half of what a project may claim is free again. A claim for several
 * costs hardly more than one.
 */
export function createSlots(capacity: Capacity, onFree: () => void, time: SlotTime = processTime): Slots {
  const channel = new Bulkhead({ concurrency: capacity.slots });
  const projects = new Bulkhead({ concurrency: id => usageOf(id).concurrency });
  const usages = new Map<string, Usage>();
  const hanging = new Map<string, Remembered>();
  const claimedMax = (capacity.slots / capacity.slotsPerProject) * capacity.claimedPerProject;
  let claimed = 0;
  let slow = 0;
  const whenIdle: (() => void)[] = [];

  const usageOf = (projectId: string): Usage => {
    const usage = usages.get(projectId) ?? { claimed: 0, slow: 0, concurrency: capacity.slotsPerProject };
    usages.set(projectId, usage);
    return usage;
  };
  const isFull = (usage: Usage | undefined) =>
    capacity.slow !== null && ((usage?.slow ?? 0) >= capacity.slow.slotsPerProject || slow >= capacity.slow.slots);
  const countSlow = (projectId: string, usage: Usage, by: 1 | -1) => {
    usage.slow += by;
    slow += by;
    usage.concurrency = isFull(usage) ? 1 : capacity.slotsPerProject;
    projects.update(projectId);
  };
  const hangs = (recipient: string) => (hanging.get(recipient)?.untilMs ?? 0) > time.now();
  const remember = ({ project_id: projectId, recipient }: Recipient) => {
    hanging.delete(recipient);
    hanging.set(recipient, { projectId, untilMs: time.now() + rememberMs });
    for (const [oldest, { untilMs }] of hanging)
      if (untilMs <= time.now() || hanging.size > rememberedMax) hanging.delete(oldest);
      else break;
  };
  const end = (projectId: string, isSlow: boolean, more: boolean) => {
    const usage = usageOf(projectId);
    if (isSlow) countSlow(projectId, usage, -1);
    else {
      usage.claimed -= 1;
      claimed -= 1;
    }
    if (usage.claimed + usage.slow === 0) usages.delete(projectId);
    if (claimed + slow === 0) for (const resolve of whenIdle.splice(0)) resolve();
    if (more || isSlow || usage.claimed <= capacity.claimedPerProject / 2 || claimed + 1 >= claimedMax) onFree();
  };

  return {
    free: () => claimedMax - claimed,
    capacities: () =>
      [...usages].map(([project_id, usage]) => ({
        project_id,
        capacity: Math.max(0, (isFull(usage) ? 1 : capacity.claimedPerProject) - usage.claimed),
      })),
    leftOut: () =>
      [...hanging].flatMap(([recipient, { projectId }]) =>
        hangs(recipient) && isFull(usages.get(projectId)) ? [recipient] : [],
      ),
    run: async (to, attempt, settle) => {
      const projectId = to.project_id;
      const usage = usageOf(projectId);
      usage.claimed += 1;
      claimed += 1;
      let isSlow = false;
      /** False if it has to stay where it is. */
      const leave = (): boolean => {
        if (capacity.slow === null || isFull(usage)) return false;
        isSlow = true;
        usage.claimed -= 1;
        claimed -= 1;
        countSlow(projectId, usage, 1);
        onFree();
        return true;
      };
      const timed = async () => {
        const startedAt = time.now();
        try {
          return await attempt();
        } finally {
          if (time.now() - startedAt >= hangingMs) remember(to);
        }
      };
      let running: ReturnType<typeof timed> | null = null;
      const inSlot = () => {
        running = timed();
        return untilSlow(running, leave, time);
      };
      let more = false;
      try {
        if (hangs(to.recipient) && leave()) running = timed();
        else await projects.run(projectId, () => channel.run('', inSlot));
        more = await settle(await (running ?? timed()));
      } finally {
        end(projectId, isSlow, more);
      }
    },
    idle: () => (claimed + slow === 0 ? Promise.resolve() : new Promise(resolve => whenIdle.push(resolve))),
  };
}

/** Resolves when the attempt has ended, or left its slot because it takes long. */
async function untilSlow(running: Promise<unknown>, leave: () => boolean, time: SlotTime): Promise<void> {
  const ended = new AbortController();
  const done = running.then(nothing, nothing);
  const left = time.wait(slowAfterMs, { signal: ended.signal }).then(() => (leave() ? undefined : done), nothing);
  await Promise.race([done, left]);
  ended.abort();
}

function nothing(): void {}
