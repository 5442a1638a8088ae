import { Filter } from '../../../kit/form/filter.tsx';
import { Skeleton } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem.tsx';
import { read } from '../../../session/api.ts';
import type { EventName, Retention } from '../../../session/api-types.ts';
import { useApp } from '../../../session/app.ts';
import { useLoad } from '../../../session/load.ts';
import { zoneNameOf } from '../../../session/zoned-time.ts';
import { cohortChoices, granularityChoices, queryOfRetention, type RetentionQuestion } from './retention-question.ts';
import { RetentionTable } from './retention-table.tsx';

const everyMs = 60_000;

type ControlsProps = {
  question: RetentionQuestion;
  names: readonly EventName[];
  change(changes: Readonly<Record<string, string>>): void;
};

/** Which event counts as coming back, and who belongs to a cohort. */
export function RetentionControls({ question, names, change }: ControlsProps) {
  const { back, granularity, cohort } = question;
  const known = names.map(({ name }) => name).filter(name => name !== back);
  const choices = ['', ...(back === '' ? [] : [back]), ...known];
  return (
    <>
      <Filter
        label="Came back by"
        value={back}
        choices={choices.map(name => [name, name === '' ? 'the same event' : name] as const)}
        onChange={value => change({ return: value })}
      />
      <Filter
        label="By"
        value={granularity}
        choices={granularityChoices}
        onChange={value => change({ period: value === 'week' ? '' : value })}
      />
      <Filter
        label="Cohort"
        value={cohort}
        choices={cohortChoices}
        onChange={value => change({ cohort: value === 'first' ? '' : value })}
      />
    </>
  );
}

/** Who comes back, of those whose event is chosen. */
export function RetentionCard({ question }: { question: RetentionQuestion }) {
  const { api, zone } = useApp();
  const timezone = zoneNameOf(zone.value);
  const retention = useLoad<Retention>(
    JSON.stringify([question, timezone]),
    () => read(api.client.GET('/v0/retention', { params: { query: queryOfRetention(question, timezone) } })),
    everyMs,
  );
  if (retention.value !== null) return <RetentionTable retention={retention.value} />;
  const { error } = retention.freshness;
  return error === null ? <Skeleton rows={3} /> : <ProblemNote problem={error} retry={retention.refresh} />;
}
