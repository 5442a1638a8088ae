import type { Zone } from '../../../session/time.ts';

/** The name of the zone in which days begin: the browser's, or UTC. */
export function timezoneOf(zone: Zone): string {
  return zone === 'utc' ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
