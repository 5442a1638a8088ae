import { givesStart, type Schedule } from '../../../../control-plane/monitoring/maintenances/occurrences/schedule.ts';

const dayMs = 86_400_000;
/** A year and a day: every rule that importers write gives a date within it. */
const daysMax = 367;

/** The first date from `firstDay` on that the rule gives, as the start of a schedule; null if it gives none. */
export function startOf(schedule: Omit<Schedule, 'start'>, firstDay: string, time: string): string | null {
  const from = Date.parse(`${firstDay}T00:00:00Z`);
  for (let day = 0; day < daysMax; day++) {
    const start = `${new Date(from + day * dayMs).toISOString().slice(0, 10)}T${time}:00`;
    if (givesStart({ ...schedule, start })) return start;
  }
  return null;
}
