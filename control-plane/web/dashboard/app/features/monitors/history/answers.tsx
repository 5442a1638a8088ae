import { useMemo } from 'preact/hooks';
import { plural } from '../../../kit/plural.ts';
import { ProblemNote } from '../../../kit/problem.tsx';
import { At } from '../../../kit/time.tsx';
import { ApiProblem, read } from '../../../session/api.ts';
import type { DnsAnswers } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { formatLongDuration, formatTime } from '../../../session/time.ts';
import {
  type AnswerChange,
  type AnswerRow,
  type AnswerSet,
  answerChanges,
  answerRows,
  answerSetsOf,
} from './answer-rows.ts';
import { across, ChartRow } from './chart-rows.tsx';
import { describeSince, rangeQuery } from './kept-results.ts';
import type { OverTimeProps } from './ping.tsx';

const hourMs = 3_600_000;
const setsShown = 20;
const changesShown = 50;

/** Which records a name had over the chosen time, in each region. */
export function Answers({ monitor, range, hours }: OverTimeProps) {
  const { api } = useApp();
  const load = useLoad(
    `answers of ${monitor.id} ${range}`,
    async () => {
      const toMs = api.nowMs();
      const params = { path: { id: monitor.id }, query: rangeQuery(toMs, hours) };
      const found = await read(api.client.GET('/v0/monitors/{id}/dns-answers', { params }));
      return { found, shown: { fromMs: toMs - hours * hourMs, toMs } };
    },
    range === '1 h' ? 10_000 : 60_000,
  );
  const { value, freshness } = load;
  const intervalMs = monitor.interval_seconds * 1000;
  const rows = useMemo(
    () => (value === null ? [] : answerRows(value.found.data, value.shown, intervalMs)),
    [value, intervalMs],
  );
  if (value === null)
    return freshness.error instanceof ApiProblem ? <ProblemNote problem={freshness.error} /> : <div class="bone" />;
  const { complete_from, data } = value.found;
  return (
    <>
      <h3>Answers</h3>
      {data.length === 0 ? (
        <p class="empty">No answers in this time.</p>
      ) : (
        <>
          <p class="hint">
            {describeSince(complete_from, api.nowMs(), hours)}
            {describeChanges(data)}
          </p>
          <Shown rows={rows} data={data} />
        </>
      )}
    </>
  );
}

function describeChanges(data: DnsAnswers['data']): string {
  const count = answerChanges(data).length;
  const changes = count === 0 ? 'No change' : plural(count, 'change');
  return `${changes}. Order and TTL of records do not count; gaps: no answer.`;
}

function Shown({ rows, data }: { rows: readonly AnswerRow[]; data: DnsAnswers['data'] }) {
  const sets = answerSetsOf(data);
  const byId = new Map(sets.map(set => [set.id, set]));
  const changes = answerChanges(data);
  return (
    <>
      <ul class="chart-rows">
        {rows.map(row => (
          <Row key={row.region} row={row} byId={byId} />
        ))}
      </ul>
      <ul class="lines answer-sets">
        {sets.slice(0, setsShown).map(set => (
          <li key={set.id}>
            <Letter set={set} />
            <code>{set.text}</code>
            <span class="hint">
              {set.regions.join(', ')}, last at <At at={set.lastAt} />
            </span>
          </li>
        ))}
      </ul>
      {sets.length > setsShown && <p class="hint">{sets.length - setsShown} more sets, which were answered before.</p>}
      {changes.length > 0 && <Changes changes={changes} byId={byId} />}
    </>
  );
}

function Row({ row: { region, found }, byId }: { row: AnswerRow; byId: ReadonlyMap<string, AnswerSet> }) {
  const { zone } = useApp();
  const said = found.map(({ kind, from, to }) => {
    const since = formatTime(new Date(from).toISOString(), zone.value);
    return `${byId.get(kind)?.letter ?? ''} for ${formatLongDuration(to - from)}, from ${since}`;
  });
  return (
    <ChartRow region={region} label={`${region}: ${said.slice(-changesShown).join('; ')}`}>
      {found.map((stretch, index) => (
        <g key={stretch.from} class={`answer c${byId.get(stretch.kind)?.color ?? 1}`}>
          <rect {...across(stretch)} y={0} height={12}>
            <title>{`${said[index]}: ${byId.get(stretch.kind)?.text ?? ''}`}</title>
          </rect>
          {index > 0 && <rect class="change" x={across(stretch).x - 1} y={0} width={2} height={12} />}
        </g>
      ))}
    </ChartRow>
  );
}

function Changes({ changes, byId }: { changes: readonly AnswerChange[]; byId: ReadonlyMap<string, AnswerSet> }) {
  return (
    <details>
      <summary>{plural(changes.length, 'change')}</summary>
      <ul class="lines">
        {changes.slice(0, changesShown).map(({ at, region, before, after }) => (
          <li key={`${at} ${region}`}>
            <At at={at} />
            <span>{region}</span>
            <span>
              <Letter set={byId.get(before)} /> became <Letter set={byId.get(after)} />
            </span>
          </li>
        ))}
      </ul>
      {changes.length > changesShown && <p class="hint">The newest {changesShown}.</p>}
    </details>
  );
}

function Letter({ set }: { set: AnswerSet | undefined }) {
  return <span class={`answer-letter c${set?.color ?? 1}`}>{set?.letter}</span>;
}
