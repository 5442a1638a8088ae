import type { VerdictRow } from '../../../session/api-types.ts';

/** A stretch of the shown time, in shares of it. */
export type Stretch<Kind extends string = string> = {
  kind: Kind;
  left: number;
  width: number;
  /** In milliseconds. */
  from: number;
  to: number;
};
/** What is shown of a time: from, to. */
export type Shown = { fromMs: number; toMs: number };

/** The shown time on the axis of a plot. */
export function coveredBy({ fromMs, toMs }: Shown): { from: number; to: number } {
  return { from: fromMs / 1000, to: toMs / 1000 };
}

type Span<Kind> = { kind: Kind; from: number; to: number };

/** The verdicts of the shown time, oldest first. `rows` are newest first and begin with the one that holds. */
export function verdictStretches(
  rows: readonly Pick<VerdictRow, 'verdict' | 'since' | 'until'>[],
  shown: Shown,
): Stretch<VerdictRow['verdict']>[] {
  const spans = rows.toReversed().map(({ verdict, since, until }) => ({
    kind: verdict,
    from: Date.parse(since),
    to: until === null ? shown.toMs : Date.parse(until),
  }));
  return stretches(spans, shown);
}

/** The parts of spans inside the shown time; neighbours of one kind are one. */
export function stretches<Kind extends string>(spans: readonly Span<Kind>[], { fromMs, toMs }: Shown): Stretch<Kind>[] {
  const found: Stretch<Kind>[] = [];
  for (const span of spans) {
    const from = Math.max(fromMs, span.from);
    const to = Math.min(toMs, span.to);
    if (to <= from) continue;
    const last = found.at(-1);
    if (last !== undefined && last.kind === span.kind && last.to === from) {
      found[found.length - 1] = place({ kind: span.kind, from: last.from, to }, { fromMs, toMs });
    } else found.push(place({ kind: span.kind, from, to }, { fromMs, toMs }));
  }
  return found;
}

function place<Kind extends string>({ kind, from, to }: Span<Kind>, { fromMs, toMs }: Shown): Stretch<Kind> {
  const total = toMs - fromMs;
  return { kind, from, to, left: (from - fromMs) / total, width: (to - from) / total };
}

/** How long each kind lasted, in milliseconds, the longest first. */
export function sumKinds<Kind extends string>(found: readonly Stretch<Kind>[]): [kind: Kind, ms: number][] {
  const sums = new Map<Kind, number>();
  for (const { kind, from, to } of found) sums.set(kind, (sums.get(kind) ?? 0) + to - from);
  return [...sums].sort((left, right) => right[1] - left[1]);
}
