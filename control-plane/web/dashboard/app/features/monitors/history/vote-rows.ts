import type { CheckResult, Monitor, VerdictRow, Vote } from '../../../session/api-types.ts';
import { type Shown, type Stretch, stretches } from './stretches.ts';

/** A region's vote; unknown also where it did not count. */
export type RowVote = Vote['vote'];
type Span = { kind: RowVote; from: number; to: number };
/** The votes of one region over the shown time, oldest first; gaps where it had none. */
export type VoteRow = { region: string; found: Stretch<RowVote>[] };

type Voted = {
  /** Newest first. */
  rows: readonly Pick<VerdictRow, 'since' | 'until' | 'decided_at' | 'votes'>[];
  monitor: Pick<Monitor, 'regions' | 'interval_seconds' | 'votes'>;
  /** Those that were not good. */
  checks: readonly Pick<CheckResult, 'region' | 'status' | 'scheduled_at'>[];
  /** All checks from here on are known. */
  completeFromMs: number;
};

/**
 * Votes by region. A change of the verdict stores all votes; of those that changed in between the checks tell, each of
 * which decides its region's vote until the next one. A bad vote that no check repeats is not shown on.
 */
export function voteRows({ rows, monitor, checks, completeFromMs }: Voted, shown: Shown): VoteRow[] {
  const known = rows.flatMap(({ votes }) => votes.map(({ region }) => region));
  const names = new Set([...monitor.regions, ...known, ...checks.map(({ region }) => region)]);
  const byRegion = Map.groupBy(checks, ({ region }) => region);
  return [...names].map(region => {
    const intervalMs = monitor.interval_seconds * 1000;
    const stored = storedSpans(region, rows, monitor, shown.toMs).map(span =>
      isBad(span) && span.from >= completeFromMs
        ? { ...span, to: Math.min(span.to, span.from + 1.5 * intervalMs) }
        : span,
    );
    const cast = castSpans(byRegion.get(region) ?? [], intervalMs);
    return { region, found: stretches(paint(stored, cast), shown) };
  });
}

/** What verdicts say: a vote holds from its own beginning, after the verdict before, to that of the next one. */
function storedSpans(region: string, rows: Voted['rows'], monitor: Voted['monitor'], nowMs: number): Span[] {
  const found: Span[] = [];
  const put = (vote: (VerdictRow['votes'] | Monitor['votes'])[number] | undefined, atMs: number): void => {
    const last = found.at(-1);
    const begun = vote?.since == null ? atMs : Math.min(atMs, Date.parse(vote.since));
    const from = last === undefined ? begun : Math.max(last.from, begun);
    if (last !== undefined) last.to = Math.min(last.to, from);
    if (vote !== undefined) found.push({ kind: kindOf(vote), from, to: nowMs });
  };
  for (const row of rows.toReversed())
    put(
      row.votes.find(vote => vote.region === region),
      Date.parse(row.decided_at ?? row.since),
    );
  put(
    monitor.votes.find(vote => vote.region === region),
    nowMs,
  );
  return found;
}

function isBad({ kind }: Span): boolean {
  return kind === 'down' || kind === 'warn';
}

function kindOf(vote: (VerdictRow['votes'] | Monitor['votes'])[number]): RowVote {
  return 'counted' in vote && vote.counted === false ? 'unknown' : vote.vote;
}

/** A check decides until the next one, an interval later at most by half of one. */
function castSpans(checks: Voted['checks'], intervalMs: number): Span[] {
  const sorted = checks
    .map(({ status, scheduled_at }) => ({ status, from: Date.parse(scheduled_at) }))
    .sort((left, right) => left.from - right.from);
  return sorted.flatMap(({ status, from }, index): Span[] => {
    const next = sorted[index + 1]?.from ?? Number.POSITIVE_INFINITY;
    const to = next - from <= intervalMs * 1.5 ? next : from + intervalMs;
    return status === 'ok' ? [] : [{ kind: status === 'err' ? 'down' : 'warn', from, to }];
  });
}

/** The spans with others over them; both are in order, and none of a list overlap. */
function paint(under: readonly Span[], over: readonly Span[]): Span[] {
  const found: Span[] = [];
  let next = 0;
  for (const span of under) {
    let from = span.from;
    while (next < over.length && (over[next]?.to ?? 0) <= from) next += 1;
    for (let index = next; index < over.length; index++) {
      const above = over[index];
      if (above === undefined || above.from >= span.to) break;
      if (above.from > from) found.push({ ...span, from, to: above.from });
      from = Math.max(from, above.to);
    }
    if (from < span.to) found.push({ ...span, from });
  }
  return [...found, ...over].sort((left, right) => left.from - right.from);
}
