import type { PageComponent } from './page-model.ts';

/** Bytes that a day of a component takes on the page, as a bar and in the list. */
const plainDayBytes = 90;
const eventfulDayBytes = 330;
const choices = [365, 180, 90, 60, 45, 30, 14, 7, 0];

/** A number of days, and the round numbers below it. */
export function fewerDays(days: number): number[] {
  return [days, ...choices.filter(count => count < days)];
}

/**
 * How many of the latest days of all components the page can show within a number of bytes: all, or a round number of
 * them.
 */
export function daysThatFit(components: readonly PageComponent[], bytesMax: number): number {
  const all = Math.max(0, ...components.map(component => component.days?.length ?? 0));
  const fits = (count: number) => components.reduce((sum, { days }) => sum + bytesOf(days, count), 0) <= bytesMax;
  return fewerDays(all).find(fits) ?? 0;
}

function bytesOf(days: PageComponent['days'], count: number): number {
  if (days === null || count === 0) return 0;
  return days
    .slice(-count)
    .reduce((sum, { level }) => sum + (level === 'up' || level === 'none' ? plainDayBytes : eventfulDayBytes), 0);
}
