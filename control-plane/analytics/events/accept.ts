import { minuteMs } from '#shared/duration.ts';
import { newId } from '#shared/ids.ts';
import { cleanText } from '../../platform/http/bodies/read-body.ts';
import { parseTimestamp } from '../../platform/http/endpoint/parameters.ts';
import { actorOf } from './actor.ts';
import { controlCharacter, type ItemError, limits, type NewEvent, type Source } from './event.ts';
import { inspectProps } from './props.ts';

/**
 * What all items of a request share. `unclean`: the body may contain NUL or lone surrogates. `clockLagMs`: how far the
 * sender's clock is behind ours.
 */
export type AcceptRules = {
  projectId: string;
  source: Source;
  nowMs: number;
  unclean: boolean;
  clockLagMs?: number;
  /** Whether sessions are linked to their users. */
  linksSessions?: boolean;
  actorOf?: typeof actorOf;
};

/** An item that is valid, as an event to store with its size, or everything wrong with it. */
export type ItemOutcome = { event: NewEvent; bytes: number } | { errors: ItemError[] };

type Fault = Omit<ItemError, 'index' | 'pointer'> & { at: string };

/**
 * One outcome per item, in order; a bad item never affects its neighbours. `prefix` returns the JSON pointer to an
 * item.
 */
export function acceptItems(
  items: readonly unknown[],
  rules: AcceptRules,
  prefix: (index: number) => string,
): ItemOutcome[] {
  return items.map((item, index) => {
    const read = acceptItem(item, rules);
    if ('event' in read) return read;
    const errors = read.faults.map(({ at, ...fault }) => ({ index, pointer: prefix(index) + at, ...fault }));
    return { errors };
  });
}

/** How far a clock that showed `sentAtMs` is behind; 0 within a minute, which a slow connection may take. */
export function clockLag(sentAtMs: number | undefined, nowMs: number): number {
  const lagMs = nowMs - (sentAtMs ?? nowMs);
  return Math.abs(lagMs) > minuteMs ? lagMs : 0;
}

function acceptItem(item: unknown, rules: AcceptRules): { event: NewEvent; bytes: number } | { faults: Fault[] } {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    return { faults: [{ at: '', code: 'type', detail: 'must be an object' }] };
  const faults: Fault[] = [];
  const read = readerOf(item, rules.unclean);
  const name = readName(read('name') ?? (read('type') === 'identify' ? 'identify' : null), faults);
  const type = readType(read('type'), rules.source, faults);
  const externalUserId = readText(read('external_user_id'), 'external_user_id', limits.idLength, faults);
  const sessionId = readText(read('session_id'), 'session_id', limits.idLength, faults);
  if (type === 'identify') {
    requireField(read('external_user_id'), 'external_user_id', faults);
    requireField(read('session_id'), 'session_id', faults);
  }
  const dedupId = readText(read('dedup_id'), 'dedup_id', limits.dedupLength, faults);
  const timestamp = readTimestamp(read('timestamp'), rules, faults);
  const props = readProps(read('props'), rules.unclean, faults);
  const bytes = [props, name, externalUserId, sessionId].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  const bytesMax = rules.source === 'server' ? limits.jsonBytes : limits.browserJsonBytes;
  if (faults.length === 0 && bytes > bytesMax)
    faults.push({ at: '/props', code: 'too_long', detail: `the event must have at most ${bytesMax} bytes of JSON` });
  if (faults.length > 0) return { faults };
  const { projectId, source, actorOf: hash = actorOf } = rules;
  const actor = hash(externalUserId, sessionId);
  const event: NewEvent = {
    projectId,
    source,
    id: newId('evt'),
    name,
    type,
    actor,
    externalUserId,
    sessionId,
    props,
    timestamp,
    dedupId,
  };
  if (rules.linksSessions === true && externalUserId !== null && sessionId !== null)
    event.sessionActor = hash(null, sessionId) ?? 0;
  return { event, bytes };
}

/** Reads own fields only, nothing from a prototype. Null counts as absent. */
function readerOf(item: object, unclean: boolean): (field: string) => unknown {
  return field => {
    if (!Object.hasOwn(item, field)) return null;
    const value = (item as Record<string, unknown>)[field];
    return unclean && typeof value === 'string' ? cleanText(value) : value;
  };
}

function readName(value: unknown, faults: Fault[]): string {
  const at = '/name';
  if (value === null) faults.push({ at, code: 'required', detail: 'is required' });
  else if (typeof value !== 'string') faults.push({ at, code: 'type', detail: 'must be a string' });
  else {
    const name = value.trim();
    if (name.length === 0) faults.push({ at, code: 'too_short', detail: 'must have at least 1 character' });
    else if (name.length > limits.nameLength)
      faults.push({ at, code: 'too_long', detail: `must have at most ${limits.nameLength} characters` });
    else if (controlCharacter.test(name))
      faults.push({ at, code: 'format', detail: 'must not contain control characters' });
    return name;
  }
  return '';
}

function readType(value: unknown, source: Source, faults: Fault[]): NewEvent['type'] {
  if (value === null || value === 'track') return 'track';
  if (value === 'identify') return value;
  const at = '/type';
  if (value === 'release')
    faults.push({ at, code: 'release_not_ingestible', detail: 'releases are created with POST /v0/releases' });
  else if (value !== 'error') faults.push({ at, code: 'enum', detail: 'must be one of track, error, identify' });
  else if (source === 'browser')
    faults.push({
      at,
      code: 'not_allowed',
      detail: 'requests without a token may only send track and identify events',
    });
  return 'error';
}

function requireField(value: unknown, field: string, faults: Fault[]): void {
  if (value === null) faults.push({ at: `/${field}`, code: 'required', detail: 'is required to identify a session' });
}

function readText(value: unknown, field: string, lengthMax: number, faults: Fault[]): string | null {
  if (value === null) return null;
  const at = `/${field}`;
  if (typeof value !== 'string') faults.push({ at, code: 'type', detail: 'must be a string' });
  else if (value.length === 0) faults.push({ at, code: 'too_short', detail: 'must have at least 1 character' });
  else if (value.length > lengthMax)
    faults.push({ at, code: 'too_long', detail: `must have at most ${lengthMax} characters` });
  else return value;
  return null;
}

function readTimestamp(value: unknown, { nowMs, clockLagMs = 0 }: AcceptRules, faults: Fault[]): number {
  if (value === null) return nowMs;
  const at = '/timestamp';
  const given = typeof value === 'string' && value.length <= 64 ? parseTimestamp(value) : null;
  const ms = given === null ? null : given + clockLagMs;
  if (typeof value !== 'string') faults.push({ at, code: 'type', detail: 'must be a string' });
  else if (ms === null)
    faults.push({ at, code: 'format', detail: 'must be an RFC 3339 timestamp with Z or an offset' });
  else if (ms > nowMs + limits.aheadMs)
    faults.push({ at, code: 'in_future', detail: 'must not be more than an hour in the future' });
  else if (ms < limits.earliestMs)
    faults.push({ at, code: 'out_of_range', detail: 'must not be before the year 2000' });
  return ms ?? nowMs;
}

function readProps(value: unknown, unclean: boolean, faults: Fault[]): string | null {
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value)) {
    faults.push({ at: '/props', code: 'type', detail: 'must be an object' });
    return null;
  }
  const inspected = inspectProps(value, unclean);
  if ('json' in inspected) return inspected.json;
  faults.push({ ...inspected, at: `/props${inspected.at}` });
  return null;
}
