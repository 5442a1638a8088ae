import { toTimestamp } from '#shared/clock.ts';

/** Updates that a maintenance posts by itself. Pages and emails show them in their own language. */
export type Automatic = 'announced' | 'started' | 'extended' | 'completed' | 'cancelled';

/** The text as the API shows it. */
export function automaticText(automatic: Automatic, endsAt: number): string {
  switch (automatic) {
    case 'announced':
      return 'Maintenance is scheduled.';
    case 'started':
      return 'Maintenance has begun.';
    case 'extended':
      return `Maintenance is taking longer than planned. New end time: ${toTimestamp(endsAt)}.`;
    case 'completed':
      return 'Maintenance is complete.';
    case 'cancelled':
      return 'Maintenance has been cancelled.';
    default:
      return automatic satisfies never;
  }
}

/** The instant that an automatic text names; null if it names none. */
export function endOf(body: string): number | null {
  const [time] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(body) ?? [];
  return time === undefined ? null : Date.parse(time);
}
