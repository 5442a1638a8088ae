import type { Random } from './random.ts';

/** What goes wrong with the world at an instant, in milliseconds from its start. */
export type Fault = { at: number; kind: FaultKind; who: string; forMs: number };

const ofProcess = ['kill', 'kill', 'stop', 'stop', 'break', 'clock'] as const;
/** In the middle of a transaction. */
const ofReplica = ['kill-in-commit', 'stop-in-commit'] as const;
const ofAgent = ['sleep', 'disk'] as const;
const ofRegion = ['cut', 'cut', 'isolate'] as const;
const ofStores = ['database-kill', 'database-slow', 'broker-away', 'broker-full'] as const;
type FaultKind =
  | (typeof ofProcess)[number]
  | (typeof ofReplica)[number]
  | (typeof ofAgent)[number]
  | (typeof ofRegion)[number]
  | (typeof ofStores)[number]
  | 'exchange';

type Subjects = {
  processes: readonly string[];
  agents: readonly string[];
  replicas: readonly string[];
  regions: readonly string[];
  untilMs: number;
};

/**
 * A worker is stopped for longer than its lease lasts, and the one that took its streams over is stopped when it goes
 * on: what has arrived meanwhile is not stored yet.
 */
export function planHandOver(random: Random, workers: readonly string[], untilMs: number): Fault[] {
  const [first, second] = random.chance(0.5) ? workers : workers.toReversed();
  if (first === undefined || second === undefined) return [];
  const at = random.between(10_000, untilMs - 50_000);
  const forMs = random.between(18_000, 35_000);
  const back = at + forMs;
  return [
    { at, kind: 'stop', who: first, forMs },
    { at: back - random.between(200, 3000), kind: 'stop', who: second, forMs: random.between(4000, 10_000) },
  ];
}

/** Agents are installed anew in another version, and run again after a while. */
export function planExchanges(random: Random, agents: readonly string[], untilMs: number): Fault[] {
  return Array.from({ length: random.between(0, 3) }, () => ({
    at: random.between(5000, untilMs - 10_000),
    kind: 'exchange',
    who: random.pick(agents),
    forMs: random.between(50, 8000),
  }));
}

/** A handful of faults of all kinds, each over before `untilMs`. Few are long. */
export function planFaults(random: Random, { processes, agents, replicas, regions, untilMs }: Subjects): Fault[] {
  return Array.from({ length: random.between(0, 8) }, () => {
    const at = random.between(5000, untilMs - 5000);
    const longest = random.chance(0.25) ? 60_000 : 15_000;
    const forMs = Math.min(random.between(50, longest), untilMs - at);
    const group = random.next();
    if (group < 0.2) return { at, forMs, kind: random.pick(ofReplica), who: random.pick(replicas) };
    if (group < 0.5) return { at, forMs, kind: random.pick(ofProcess), who: random.pick(processes) };
    if (group < 0.65) return { at, forMs, kind: random.pick(ofAgent), who: random.pick(agents) };
    if (group < 0.8) return { at, forMs, kind: random.pick(ofRegion), who: random.pick(regions) };
    return { at, forMs, kind: random.pick(ofStores), who: '' };
  }).sort((left, right) => left.at - right.at);
}
