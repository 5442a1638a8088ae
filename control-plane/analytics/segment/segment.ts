import { hash } from 'node:crypto';
import { toTimestamp } from '#shared/clock.ts';
import { parseTimestamp, timestampMax } from '../../platform/http/endpoint/parameters.ts';
import { limits } from '../events/event.ts';
import type { IntakeForm } from '../events/intake-form.ts';

/** Calls of Segment's libraries; each has an address of its own, beside that of batches. */
export const segmentCalls = ['track', 'identify', 'page', 'screen', 'group', 'alias'] as const;
export type SegmentCall = (typeof segmentCalls)[number];

type Members = Readonly<Record<string, unknown>>;

/** Bodies as Segment's libraries for servers send them; `call`: that of the address, null for a batch. */
export function segmentForm(call: SegmentCall | null): IntakeForm {
  return {
    isOwn: false,
    read: (body, nowMs) => {
      const whole = membersOf(body);
      const { batch } = whole;
      const calls = call === null ? (Array.isArray(batch) ? batch : [null]) : [{ ...whole, type: call }];
      const sentAt = readTime(whole.sentAt);
      const items = calls.map(item => eventOf(item, { nowMs, sentAtMs: sentAt }));
      return {
        items,
        prefix: index => (call === null ? `/batch/${index}` : ''),
        // A user without a session is nothing to store, and nothing to complain of.
        mayBeEmpty: items.every(isBareIdentify),
      };
    },
    answer: ({ body, ...answer }) => ({ ...answer, status: 200, body: { success: true, ...membersOf(body) } }),
  };
}

type Times = { nowMs: number; sentAtMs: number | null };

/** A call as the event that it is stored as. What does not fit is left for the event to be refused. */
function eventOf(item: unknown, times: Times): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  const call = membersOf(item);
  const shared = {
    external_user_id: idOf(call.userId),
    session_id: idOf(call.anonymousId),
    dedup_id: dedupOf(call.messageId),
    timestamp: timeOf(call, times),
  };
  const { type } = call;
  switch (type) {
    case 'track':
      return { ...shared, type, name: call.event ?? null, props: call.properties ?? null };
    case 'page':
    case 'screen':
      return {
        ...shared,
        name: type,
        props: withMembers({ name: call.name, category: call.category }, call.properties),
      };
    case 'group':
      return { ...shared, name: type, props: withMembers({ group_id: call.groupId }, call.traits) };
    case 'identify':
      return { ...shared, type, props: call.traits ?? null };
    case 'alias':
      return { ...shared, type: 'identify', session_id: idOf(call.previousId) };
    default:
      return { ...shared, type: typeof type === 'string' ? `segment ${type}` : type, name: 'unknown' };
  }
}

function isBareIdentify(event: unknown): boolean {
  const { type, external_user_id: user, session_id: session } = membersOf(event);
  return type === 'identify' && typeof user === 'string' && session === null;
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** Members of its own, without those that are missing, and those of an object. */
function withMembers(own: Members, more: unknown): unknown {
  const given = Object.entries(own).filter(([, value]) => value !== undefined && value !== null);
  if (more === undefined || more === null) return Object.fromEntries(given);
  return typeof more === 'object' && !Array.isArray(more) ? { ...Object.fromEntries(given), ...more } : more;
}

/** Some libraries send numbers, and an empty text for nobody. */
function idOf(value: unknown): unknown {
  if (typeof value === 'number') return String(value);
  return value === '' || value === undefined ? null : value;
}

function dedupOf(value: unknown): unknown {
  if (typeof value === 'string' && value.length > limits.dedupLength) return hash('sha256', value.toWellFormed());
  return idOf(value);
}

/** Without a time of its own, the original one by our clock: as long before arrival as it was before sending. */
function timeOf({ timestamp, originalTimestamp, sentAt }: Members, { nowMs, sentAtMs }: Times): unknown {
  if (timestamp !== undefined && timestamp !== null) return timestamp;
  const [original, sent] = [readTime(originalTimestamp), readTime(sentAt) ?? sentAtMs];
  if (original === null || sent === null) return originalTimestamp ?? null;
  return toTimestamp(Math.min(timestampMax, Math.max(0, original + nowMs - sent)));
}

function readTime(value: unknown): number | null {
  return typeof value === 'string' && value.length <= 64 ? parseTimestamp(value) : null;
}
