import type { Plot } from '../../../kit/plot/plot-scale.ts';
import type { Retention, RetentionQuery } from '../../../session/api-types.ts';

export const granularityChoices = [
  ['week', 'week'],
  ['day', 'day'],
] as const;
export const cohortChoices = [
  ['first', 'first in the range'],
  ['any', 'any in the period'],
] as const;

/** What is asked of retention besides the event that starts a cohort. The address holds all of it. */
export type RetentionQuestion = {
  start: string;
  /** '' for the event that starts the cohort. */
  back: string;
  granularity: 'day' | 'week';
  cohort: 'first' | 'any';
};

export function readRetention(query: URLSearchParams, start: string): RetentionQuestion {
  return {
    start,
    back: query.get('return') ?? '',
    granularity: query.get('period') === 'day' ? 'day' : 'week',
    cohort: query.get('cohort') === 'any' ? 'any' : 'first',
  };
}

/** The request for a question: the usual range of its granularity, followed to its end. */
export function queryOfRetention(
  { start, back, granularity, cohort }: RetentionQuestion,
  timezone: string,
): RetentionQuery {
  return {
    ...{ start, granularity, cohort, timezone, periods: granularity === 'day' ? 13 : 8 },
    ...(back === '' ? {} : { return: back }),
  };
}

type Cohort = Retention['cohorts'][number];

/** The cohorts from the first one with users on, which may not be known. */
export function shownOf({ cohorts }: Retention): readonly Cohort[] {
  const first = cohorts.findIndex(({ users }) => users !== 0);
  return first === -1 ? [] : cohorts.slice(first);
}

/** The share of a cohort that came back; null if it is not known, or nobody could. */
export function shareOf({ users, returned }: Cohort, period: number): number | null {
  const back = returned[period] ?? null;
  return users === null || users === 0 || back === null ? null : back / users;
}

/** Whether the number of a cohort for a period still grows, because that period is not over. */
export function isGrowing(cohorts: readonly Cohort[], index: number, period: number): boolean {
  return cohorts[index + period]?.complete === false;
}

/** Of all cohorts whose period is over: the share of their users that came back; null without any. */
export function shareOfAll(cohorts: readonly Cohort[], period: number): number | null {
  const counted = cohorts.filter(
    (cohort, index) => cohorts[index + period]?.complete === true && shareOf(cohort, period) !== null,
  );
  const users = counted.reduce((sum, cohort) => sum + (cohort.users ?? 0), 0);
  const back = counted.reduce((sum, cohort) => sum + (cohort.returned[period] ?? 0), 0);
  return users === 0 ? null : back / users;
}

/** How many periods any cohort of the answer has a number for. */
export function lengthOf(cohorts: readonly Cohort[]): number {
  return Math.max(1, ...cohorts.map(({ returned }) => returned.findLastIndex(back => back !== null) + 1));
}

/** A line over the cohorts for some of the periods after their own, in percent of the users. */
export function plotOfRetention(retention: Retention): Plot {
  const { granularity } = retention;
  const cohorts = shownOf(retention);
  const length = lengthOf(cohorts);
  const followed = [...new Set([1, 2, 4, 7].filter(period => period < length))];
  return {
    times: cohorts.map(({ period }) => Date.parse(`${period}T12:00:00Z`) / 1000),
    lines: followed.map(period => ({
      label: periodLabel(granularity, period),
      values: cohorts.map(cohort => {
        const share = shareOf(cohort, period);
        return share === null ? null : Math.round(share * 1000) / 10;
      }),
    })),
    joined: true,
    unit: 'percent',
  };
}

export function periodLabel(granularity: Retention['granularity'], period: number): string {
  return `${granularity === 'day' ? 'Day' : 'Week'} ${period}`;
}

export const reasonWords: Readonly<Record<NonNullable<Cohort['reason']>, string>> = {
  too_many_users: 'Older periods with more than 2,048 users in an hour, or with more than a million, are not known.',
  too_many_names: 'Older periods in which events were counted as (other) are not known.',
  zone_between_hours: 'Days of this time zone do not begin with a whole hour of UTC: older periods are not known.',
  not_counted: 'Some events were not counted yet, or had been deleted before counting began.',
};
