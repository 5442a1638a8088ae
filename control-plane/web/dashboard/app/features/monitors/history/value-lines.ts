import type { Plot } from '../../../kit/plot/plot-scale.ts';
import type { CheckResult, Monitor } from '../../../session/api-types.ts';

const limitWords = { lt: 'less than', lte: 'at most', gt: 'more than', gte: 'at least' } as const;

/** What stored events came to at each instant, with a line for each limit. Where nothing can be said is a gap. */
export function valuePlot(
  checks: readonly Pick<CheckResult, 'scheduled_at' | 'measured' | 'failure_source'>[],
  assertions: Monitor['assertions'],
): Plot {
  const inOrder = checks.toSorted((left, right) => left.scheduled_at.localeCompare(right.scheduled_at));
  const isSaid = ({ failure_source: source }: (typeof checks)[number]) => source === null || source === 'target';
  const limits = assertions.flatMap(assertion => (assertion.type === 'measured' ? [assertion] : []));
  return {
    times: inOrder.map(({ scheduled_at }) => Date.parse(scheduled_at) / 1000),
    lines: [
      { label: 'value', values: inOrder.map(check => (isSaid(check) ? (check.measured?.value ?? null) : null)) },
      ...limits.map(({ operator, value }) => ({
        label: `${limitWords[operator]} ${value}`,
        values: inOrder.map(() => value),
      })),
    ],
    joined: false,
    unit: 'value',
  };
}
