import type { List } from '../../session/api.ts';
import type { EventRate, StoredEvent } from '../../session/api-types.ts';

/** The latest events by arrival, the last first. */
export type Tail = {
  events: readonly StoredEvent[];
  /** More events arrived between two loads than one load shows. */
  hasGap: boolean;
};

const shownMax = 300;
/** Clocks of replicas differ, and commits overtake each other: so much is loaded again. */
const overlapMs = 5000;

/** Adds what arrived since; of two loads of one event the newer counts. */
export function mergeTail(before: Tail | null, loaded: List<StoredEvent>): Tail {
  const known = new Set(loaded.data.map(({ id }) => id));
  const kept = (before?.events ?? []).filter(({ id }) => !known.has(id));
  const events = [...loaded.data, ...kept].sort(byArrival).slice(0, shownMax);
  const hasGap = before !== null && loaded.pagination.has_more && loaded.data.every(event => !isIn(before, event));
  return { events, hasGap: hasGap || (before?.hasGap ?? false) };
}

/** From when on to load: everything since the last event, or the given start. */
export function tailStart(before: Tail | null, startMs: number): string {
  const last = before?.events[0];
  const fromMs = last === undefined ? startMs : Math.max(startMs, Date.parse(last.ingested_at) - overlapMs);
  return new Date(fromMs).toISOString();
}

function isIn({ events }: Tail, { id }: StoredEvent): boolean {
  return events.some(event => event.id === id);
}

function byArrival(left: StoredEvent, right: StoredEvent): number {
  return Date.parse(right.ingested_at) - Date.parse(left.ingested_at) || (left.id < right.id ? 1 : -1);
}

/** Whether a session is seen that has events with a user and without. */
export function hasMixedSession({ events }: Tail): boolean {
  const sent = (isNamed: boolean) =>
    new Set(
      events.flatMap(({ type, session_id, external_user_id: user }) =>
        type !== 'release' && session_id !== undefined && (user !== null) === isNamed ? [session_id] : [],
      ),
    );
  const named = sent(true);
  return [...sent(false)].some(session => named.has(session));
}

/** Events a second over the last whole minute, the refused ones too: they count as sent. */
export function currentRate({ minutes }: Pick<EventRate, 'minutes'>): number {
  const minute = minutes.at(-2);
  return minute === undefined ? 0 : (minute.stored + minute.known + minute.refused) / 60;
}

/** `0`, `0.4`, `12`, `1,200`. */
export function formatRate(perSecond: number): string {
  if (perSecond === 0 || perSecond >= 10) return Math.round(perSecond).toLocaleString('en');
  return perSecond < 0.1 ? '< 0.1' : perSecond.toFixed(1);
}

const refusalWords: Readonly<Record<string, string>> = {
  rate_limited: 'sent faster than the limit',
  limit_reached: 'the bytes of the day were used up',
  origin_not_allowed: 'sent by a page that is not an allowed origin',
  release_not_ingestible: 'releases go to /v0/releases',
  payload_too_large: 'the request was too large',
  batch_too_large: 'too many events in one request',
  empty_batch: 'a request without events',
  invalid_json: 'the request was not valid JSON',
  unsupported_media_type: 'the request had the wrong media type',
  required: 'a field was missing',
  type: 'a field had the wrong type',
  format: 'a field had the wrong format',
  too_short: 'a text was empty',
  too_long: 'a text or the properties were too long',
  in_future: 'the time was more than an hour ahead',
  out_of_range: 'a value was out of its range',
  unavailable: 'the service was unavailable',
};

/** Why events were refused; a code that this page does not know is shown as it is. */
export function describeRefusal(code: string): string {
  return refusalWords[code] ?? code.replaceAll('_', ' ');
}
