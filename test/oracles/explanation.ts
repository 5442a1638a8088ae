import type { Explanation } from '#control-plane/monitoring/alerts/explain/explanation.ts';

// What an explanation says, computed again from the contract's words and from nothing but the explanation itself.

type Recomputed = {
  verdict: string;
  startedAt: number;
  flips: Explanation['flips'];
  ages: (number | null)[];
  clock: { failing: string; quorum: string; opens: string; told: string | null; sent: string | null };
  ms: Record<string, number>;
  unseenMs: number | null;
  /** Rules that the instants break. */
  faults: string[];
};

const text = (ms: number) => new Date(ms).toISOString();
const ascending = (left: number, right: number) => left - right;

export function recompute({ rule, votes, clock, maintenance, deliveries }: Explanation): Recomputed {
  const isSlow = rule.kind === 'degraded';
  const values = votes.map(({ counted, vote }) => (counted ? vote : 'unknown'));
  const failing = votes
    .filter(({ counted, vote }) => counted && (vote === 'down' || (isSlow && vote === 'warn')))
    .map(({ region, since }) => ({ region, since: Date.parse(since ?? '') }))
    .sort((left, right) => left.since - right.since);
  const reached = failing[rule.quorum - 1]?.since ?? Number.NaN;
  // A warning counts at once, if enough others are good; a failure once it is confirmed.
  const good = votes
    .filter(({ counted, vote }) => counted && vote !== 'down')
    .map(({ since }) => Date.parse(since ?? ''));
  const known = good.sort(ascending)[rule.regions.length - rule.quorum] ?? Number.NaN;
  const confirmed = clock.confirmed.map(({ at }) => Date.parse(at)).sort(ascending)[rule.quorum - 1] ?? Number.NaN;
  const quorum = isSlow ? Math.max(reached, known) : confirmed;
  const startedAt = isSlow ? quorum : reached;
  const waited = isSlow ? rule.alert_rules?.degraded?.after_seconds : rule.alert_rules?.confirm_seconds;
  const sent = deliveries.flatMap(({ sent_at }) => (sent_at === null ? [] : [Date.parse(sent_at)])).sort(ascending);
  const first = failing[0]?.since ?? Number.NaN;
  return {
    verdict: verdictOf(values, rule.quorum),
    startedAt,
    flips: votes.flatMap(({ region }, index) =>
      (['up', 'down', 'unknown'] as const).flatMap(vote => {
        const verdict = verdictOf(values.with(index, vote), rule.quorum);
        return verdict === verdictOf(values, rule.quorum) ? [] : [{ region, vote, verdict }];
      }),
    ),
    ages: votes.map(({ as_of }) => (as_of === null ? null : quorum - Date.parse(as_of))),
    clock: {
      failing: text(first),
      quorum: text(quorum),
      opens: text(Math.max(quorum, startedAt + (waited ?? 0) * 1000)),
      told: maintenance?.held_since == null ? clock.created : maintenance.released_at,
      sent: sent[0] === undefined ? null : text(sent[0]),
    },
    ms: distances(clock),
    unseenMs: clock.last_good === null ? null : first - Date.parse(clock.last_good),
    faults: [...faultsOf(clock), ...votes.flatMap(faultsOfVote)],
  };
}

/** Down: as many as the quorum. Good: so many that this is impossible; slow if as many as the quorum warn or fail. */
function verdictOf(votes: readonly string[], quorum: number): string {
  const count = (...wanted: string[]) => votes.filter(vote => wanted.includes(vote)).length;
  if (count('down') >= quorum) return 'down';
  if (count('up', 'warn') <= votes.length - quorum) return 'undetermined';
  return count('warn', 'down') >= quorum ? 'degraded' : 'up';
}

const order = [
  'last_good',
  'failing',
  'failed',
  'reported',
  'confirm_asked',
  'quorum',
  'opens',
  'created',
  'told',
] as const;

/** Between each instant that is known and the one before it. */
function distances(clock: Explanation['clock']): Record<string, number> {
  const known = [...order, 'sent' as const].flatMap(name => (clock[name] === null ? [] : [name]));
  const at = (name: (typeof known)[number] | undefined) => Date.parse(clock[name ?? 'opens'] ?? '');
  return Object.fromEntries(known.slice(1).map((name, index) => [name, at(name) - at(known[index])]));
}

/** A failure is seen, reported and confirmed in that order, and nobody is notified before the alert is there. */
function faultsOf(clock: Explanation['clock']): string[] {
  const chains = [
    ['last_good', 'failing', 'failed', 'reported'],
    ['failing', 'confirm_asked', 'quorum'],
    ['failed', 'quorum', 'opens', 'created', 'told', 'sent'],
  ] as const;
  return chains.flatMap(chain => {
    const known = chain.filter(name => clock[name] !== null);
    return known.slice(1).flatMap((name, index) => {
      const before = known[index] ?? name;
      return Date.parse(clock[before] ?? '') <= Date.parse(clock[name] ?? '') ? [] : [`${name} before ${before}`];
    });
  });
}

/** A vote is what its check says, and one that does not count says why. */
function faultsOfVote({ region, vote, as_of, counted, why_not, check }: Explanation['votes'][number]): string[] {
  if (counted !== (why_not === null)) return [`${region}: ${why_not}`];
  if (check === null) return as_of === null ? [] : [`${region}: no check`];
  const said = check.status === 'ok' ? 'up' : check.status === 'warn' ? 'warn' : counted ? 'down' : 'unknown';
  const isIts = check.region === region && Date.parse(check.started_at) <= Date.parse(as_of ?? '');
  return said === vote && isIts ? [] : [`${region}: ${vote} by ${check.id}`];
}
