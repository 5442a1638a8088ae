import type { RouteMatch } from '../../session/api-types.ts';
import { formatLongDuration } from '../../session/time.ts';

/** A step of a route as a line: when, and who is notified. */
export type ForeseenStep = { when: string; names: readonly string[] };

/** What a route would do with an alert that people are notified of at an instant. */
export function previewSteps(
  { steps, reminders }: RouteMatch['routes'][number],
  atMs: number,
  nameOf: (channelId: string) => string,
): ForeseenStep[] {
  const when = (due: string | null) => (due === null ? 'never' : describeDelay(Date.parse(due) - atMs));
  const rows = steps.map(({ due_at, channel_ids }) => ({ when: when(due_at), names: channel_ids.map(nameOf) }));
  const [first] = reminders;
  return first === undefined
    ? rows
    : [...rows, { when: when(first.due_at), names: ['reminder, if nobody acknowledges'] }];
}

function describeDelay(ms: number): string {
  return ms < 60_000 ? 'at once' : `after ${formatLongDuration(ms)}`;
}
