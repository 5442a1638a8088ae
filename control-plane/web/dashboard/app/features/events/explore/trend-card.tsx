import { useMemo } from 'preact/hooks';
import { LinePlot } from '../../../kit/plot/plot.tsx';
import type { Plot } from '../../../kit/plot/plot-scale.ts';
import { At } from '../../../kit/time.tsx';
import type { Trends } from '../../../session/api-types.ts';
import { labelOf, plotOf, type Question } from './question.ts';

/** A line for each series over time, and what each amounts to. */
type TrendProps = { trends: Trends; measure: Question['measure']; spans?: Plot['spans'] };

export function TrendCard({ trends, measure, spans = [] }: TrendProps) {
  const plot = useMemo(() => ({ ...plotOf(trends, measure), spans }), [trends, measure, spans]);
  const completeFrom = trends.series[0]?.complete_from ?? null;
  const isCut = completeFrom !== null && completeFrom > trends.range.from;
  return (
    <>
      {trends.series.length === 0 ? (
        <p class="empty">No events of this time.</p>
      ) : (
        <LinePlot name={measure === 'users' ? 'Users' : 'Events'} plot={plot} />
      )}
      {isCut && (
        <p class="note">
          Events before <At at={completeFrom} /> are not counted.
        </p>
      )}
      {trends.names_truncated && (
        <p class="note">This project has more than 2,000 names of events: the others are counted as (other).</p>
      )}
      <table class="series">
        <caption class="unseen">The whole range by series</caption>
        <thead>
          <tr>
            <th scope="col">{trends.breakdown === null ? 'Event' : trends.breakdown}</th>
            <th scope="col" class="number">
              Events
            </th>
            <th scope="col" class="number">
              Users
            </th>
          </tr>
        </thead>
        <tbody>
          {trends.series.map((series, index) => (
            <tr key={index}>
              <th scope="row">{labelOf(series)}</th>
              <td class="number" data-label="Events">
                {series.total.events.toLocaleString('en')}
              </td>
              <td class="number" data-label="Users">
                {series.total.users.toLocaleString('en')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        Users are different ones of the whole range, not a sum.
        {trends.users_estimated && ' Large numbers of users are estimated: standard error 0.81 %.'}
      </p>
    </>
  );
}
