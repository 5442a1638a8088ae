import { useMemo } from 'preact/hooks';
import { LinePlot } from '../../../kit/plot/plot.tsx';
import type { Plot } from '../../../kit/plot/plot-scale.ts';
import { formatShare } from '../../../kit/share.ts';
import type { Retention } from '../../../session/api-types.ts';
import {
  isGrowing,
  lengthOf,
  periodLabel,
  plotOfRetention,
  reasonWords,
  shareOf,
  shareOfAll,
  shownOf,
} from './retention-question.ts';

/** A row a cohort, a column a period: the darker, the more of its users came back. And how that changed over time. */
type RetentionProps = { retention: Retention; happened?: Pick<Plot, 'marks' | 'spans'> };

export function RetentionTable({ retention, happened }: RetentionProps) {
  const plot = useMemo(() => ({ ...plotOfRetention(retention), ...happened }), [retention, happened]);
  const { granularity } = retention;
  const cohorts = shownOf(retention);
  const periods = Array.from({ length: lengthOf(cohorts) }, (_, period) => period);
  const reasons = new Set(cohorts.flatMap(({ reason }) => reason ?? []));
  if (cohorts.length === 0) return <p class="empty">No users of this event and time.</p>;
  return (
    <>
      <div class="wide-table" tabIndex={0} role="group" aria-label="Cohorts">
        <table class="cohorts">
          <caption class="unseen">The share of each cohort that came back, by period</caption>
          <thead>
            <tr>
              <th scope="col">{granularity === 'day' ? 'Day' : 'Week of'}</th>
              <th scope="col" class="number">
                Users
              </th>
              {periods.map(period => (
                <th key={period} scope="col" class="number">
                  {periodLabel(granularity, period)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="all">
              <th scope="row">All</th>
              <td class="number">{sumOf(cohorts.map(({ users }) => users))}</td>
              {periods.map(period => (
                <Cell key={period} share={shareOfAll(cohorts, period)} back={null} isGrowing={false} />
              ))}
            </tr>
            {cohorts.map((cohort, index) => (
              <tr key={cohort.period} data-row>
                <th scope="row">
                  {cohort.period}
                  {!cohort.complete && <span class="hint"> so far</span>}
                </th>
                <td class="number">{cohort.users?.toLocaleString('en') ?? '–'}</td>
                {periods.map(period => (
                  <Cell
                    key={period}
                    share={shareOf(cohort, period)}
                    back={cohort.returned[period] ?? null}
                    isGrowing={isGrowing(cohorts, index, period)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {plot.lines.length > 0 && cohorts.length > 1 && (
        <>
          <h3>Share that came back, by cohort</h3>
          <LinePlot name="Share of the cohort that came back" plot={plot} />
        </>
      )}
      {[...reasons].map(reason => (
        <p key={reason} class="note">
          {reasonWords[reason]}
        </p>
      ))}
      <p class="hint">
        Numbers are exact. “So far” marks a period that is not over: its number still grows. The row of all counts
        periods that are over.
      </p>
    </>
  );
}

type CellProps = { share: number | null; back: number | null; isGrowing: boolean };

function Cell({ share, back, isGrowing }: CellProps) {
  if (share === null) return <td class="number" />;
  return (
    <td class="number heat" style={{ '--share': `${Math.round(share * 100)}%` }}>
      {formatShare(share)}
      {back !== null && <span class="hint">{back.toLocaleString('en')}</span>}
      {isGrowing && <span class="hint">so far</span>}
    </td>
  );
}

function sumOf(users: readonly (number | null)[]): string {
  return users.reduce<number>((sum, each) => sum + (each ?? 0), 0).toLocaleString('en');
}
