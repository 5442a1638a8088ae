import type { QuarantineScope } from './quarantine.ts';

/** A project's monitors of a region compared with their other regions. Monitors younger than an hour are left out. */
export type RegionTally = {
  region: string;
  projectId: string;
  /** Enabled monitors of the region. */
  monitors: number;
  /** Those that an agent of the region can run. */
  able: number;
  /** Those that started to disagree within the window, and the number of hosts they check. */
  newlyDisagreeing: number;
  newlyDisagreeingHosts: number;
  /** Down here only: no other region votes down, and at least one votes good. */
  disagreeing: number;
  /** Those that vote up or warn here. */
  good: number;
};

type Counts = Omit<RegionTally, 'region' | 'projectId'>;

export const monitorsMin = 20;
const hostsMin = 10;
const projectsMin = 3;

/**
 * The quarantines to start and to end. A project sees a fault by its own monitors and mutes the region for itself. The
 * region is muted for everybody only if at least three projects, and more than half of those it serves, see it, so
 * that no customer can mute a region for another.
 */
export function decideQuarantines(
  tallies: readonly RegionTally[],
  lasting: readonly QuarantineScope[],
): { started: QuarantineScope[]; ended: QuarantineScope[] } {
  const isLasting = (scope: QuarantineScope) =>
    lasting.some(({ region, projectId }) => region === scope.region && projectId === scope.projectId);
  const started: QuarantineScope[] = [];
  const ended: QuarantineScope[] = [];
  const consider = (scope: QuarantineScope, faulty: boolean, returned: boolean) => {
    if (isLasting(scope)) {
      if (returned) ended.push(scope);
    } else if (faulty) started.push(scope);
  };
  for (const [region, ofRegion] of Map.groupBy(tallies, tally => tally.region)) {
    for (const tally of ofRegion) consider({ region, projectId: tally.projectId }, isFaulty(tally), hasReturned(tally));
    consider({ region, projectId: null }, isFaultyForAll(ofRegion), hasReturnedForAll(ofRegion));
  }
  return { started, ended };
}

/** More than half of the monitors, 20 or more on ten hosts or more, turned down while their other regions disagree. */
export function isFaulty(tally: Counts): boolean {
  return isLarge(tally) && isMostlyNewlyDown(tally);
}

/**
 * Checks agree again: more than half of the monitors vote good, and at most a tenth disagree. Silence is not agreement,
 * but of monitors that no agent of the region can run nothing else comes.
 */
export function hasReturned({ monitors, able, disagreeing, good }: Counts): boolean {
  return !doubts({ monitors, disagreeing }) && good * 2 > able;
}

/** Each project counts once, however many monitors it has. */
export function isFaultyForAll(tallies: readonly Counts[]): boolean {
  const seeing = tallies.filter(isMostlyNewlyDown);
  const sum = (count: (tally: Counts) => number) => seeing.reduce((total, tally) => total + count(tally), 0);
  return (
    seeing.length >= projectsMin &&
    seeing.length * 2 > tallies.length &&
    isLarge({
      newlyDisagreeing: sum(tally => tally.newlyDisagreeing),
      newlyDisagreeingHosts: sum(tally => tally.newlyDisagreeingHosts),
    })
  );
}

/**
 * More than half of the projects agree with the region again, and at most a tenth of them see most monitors fail. Fewer
 * than three that do not agree are left out, as at the start: no customer can keep a region muted for another.
 */
export function hasReturnedForAll(all: readonly Counts[]): boolean {
  const tallies = all.filter(({ able }) => able > 0);
  const agreeing = tallies.filter(hasReturned).length;
  const doubting = tallies.filter(doubts).length;
  if (doubting < projectsMin) return agreeing * 2 > tallies.length - doubting;
  const failing = tallies.filter(tally => tally.disagreeing * 2 > tally.monitors).length;
  return agreeing * 2 > tallies.length && (failing < projectsMin || failing * 10 <= tallies.length);
}

function doubts({ monitors, disagreeing }: Pick<Counts, 'monitors' | 'disagreeing'>): boolean {
  return disagreeing * 10 > monitors;
}

function isLarge(tally: Pick<Counts, 'newlyDisagreeing' | 'newlyDisagreeingHosts'>): boolean {
  return tally.newlyDisagreeing >= monitorsMin && tally.newlyDisagreeingHosts >= hostsMin;
}

function isMostlyNewlyDown({ monitors, newlyDisagreeing }: Counts): boolean {
  return newlyDisagreeing * 2 > monitors;
}
