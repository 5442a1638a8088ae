import type { FunnelReport } from '../../session/api-types.ts';
import { formatLongDuration } from '../../session/time.ts';

type Step = FunnelReport['steps'][number];
/** One group of a report: a release, a day, an hour or a value. */
export type FunnelGroup = { key: string; label: string; at: string | null; steps: readonly Step[] };

/** How many users a step lost to the next one. */
export function lostAfter(steps: readonly Step[], index: number): number {
  const [step, next] = [steps[index], steps[index + 1]];
  return step === undefined || next === undefined ? 0 : step.users - next.users;
}

/** The groups of a grouped report: values with the most users first, times with the latest. */
export function groupsOf({ releases, buckets, values, group_by }: FunnelReport): FunnelGroup[] {
  if (values !== undefined)
    return values.map(({ type, value, steps }) => ({
      key: `${type} ${JSON.stringify(value)}`,
      label: type === 'missing' ? 'Without the property' : type === 'other' ? 'Other values' : nameValue(value),
      at: null,
      steps,
    }));
  if (releases !== undefined)
    return releases
      .map(({ release_id, version, name, released_at, steps }) => ({
        key: release_id ?? '',
        label: version === null ? 'Before the first release' : name === null ? version : `${version} · ${name}`,
        at: released_at,
        steps,
      }))
      .toReversed();
  return (buckets ?? [])
    .map(({ bucket, steps }) => ({
      key: bucket,
      label: group_by === 'day' ? bucket.slice(0, 10) : bucket.slice(0, 16).replace('T', ' '),
      at: null,
      steps,
    }))
    .toReversed();
}

/** A text as it is, unless it would read like another value or like nothing. */
function nameValue(value: string | number | boolean | null): string {
  const isPlain = typeof value === 'string' && value.trim() !== '' && !/^(true|false|null|-?\d.*)$/.test(value);
  return isPlain ? value : JSON.stringify(value);
}

/** What limits the answer: estimates, lost entries, and how far the roll-up is. */
export function describeReport(report: FunnelReport): string[] {
  const { estimated, complete_from, complete_through, roll_up } = report;
  return [
    estimated ? 'Large counts are estimates, with a standard error of 0.81%.' : null,
    complete_from !== null && complete_from > report.range.from
      ? `Entries before ${complete_from.slice(0, 10)} were already deleted when this version was created.`
      : null,
    report.group_by === 'property'
      ? `Counted from stored events, for entries since ${report.range.from.slice(0, 16).replace('T', ' ')} UTC.`
      : null,
    roll_up.pending > 0 && report.group_by !== 'property'
      ? `${roll_up.pending} of ${roll_up.hours} hours are not rolled up yet: they are counted from raw events.`
      : null,
    `Everything that arrived before ${complete_through.slice(0, 19).replace('T', ' ')} UTC is counted.`,
  ].filter(text => text !== null);
}

/** `within 7 d, other events may come between`. */
export function describeRule({ window_seconds, order }: { window_seconds: number; order: string }): string {
  const between = order === 'strict' ? 'with no other event between' : 'other events may come between';
  return `within ${formatLongDuration(window_seconds * 1000)}, ${between}`;
}
