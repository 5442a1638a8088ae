import test from 'ava';
import {
  currentRate,
  describeRefusal,
  formatRate,
  hasMixedSession,
  mergeTail,
  type Tail,
  tailStart,
} from '#control-plane/web/dashboard/app/features/events/tail.ts';
import type { StoredEvent } from '#control-plane/web/dashboard/app/session/api-types.ts';
import { nowMs } from '../../samples.ts';

function list(events: StoredEvent[], has_more = false) {
  return { data: events, pagination: { has_more, next_cursor: has_more ? 'c' : null } };
}

const at = (seconds: number) => new Date(nowMs + seconds * 1000).toISOString();

function event(id: string, seconds: number): StoredEvent {
  return { id, name: 'n', type: 'track', timestamp: at(seconds), ingested_at: at(seconds), external_user_id: null };
}

test('the tail keeps each event once, the last to arrive first, and says when it could not follow', t => {
  const first = mergeTail(null, list([event('b', 2), event('a', 1)], true));
  t.false(first.hasGap);
  const second = mergeTail(first, list([event('d', 4), event('c', 3), event('b', 2)]));
  t.deepEqual(
    second.events.map(({ id }) => id),
    ['d', 'c', 'b', 'a'],
  );
  t.false(second.hasGap);
  t.is(tailStart(second, 0), at(-1));
  t.is(tailStart(null, nowMs), at(0));
  t.true(mergeTail(second, list([event('z', 60)], true)).hasGap);
  const many = Array.from({ length: 400 }, (_, index) => event(`e${index}`, index));
  t.is(mergeTail(second as Tail, list(many)).events.length, 300);
});

test('a session with and without a user is seen', t => {
  const nobody = { ...event('a', 1), session_id: 's' };
  const tail = (events: StoredEvent[]) => ({ events, hasGap: false });
  t.false(hasMixedSession(tail([nobody, { ...event('b', 2), external_user_id: 'u', session_id: 't' }])));
  t.true(hasMixedSession(tail([nobody, { ...event('b', 2), external_user_id: 'u', session_id: 's' }])));
});

test('rates are short, and a refusal that is not known is shown by its code', t => {
  const minute = { at: at(0), stored: 0, known: 0, refused: 0 };
  t.is(currentRate({ minutes: [minute, { ...minute, stored: 90, known: 10, refused: 20 }, minute] }), 2);
  t.is(currentRate({ minutes: [] }), 0);
  t.deepEqual([0, 0.01, 0.42, 12.4, 1200].map(formatRate), ['0', '< 0.1', '0.4', '12', '1,200']);
  t.is(describeRefusal('rate_limited'), 'sent faster than the limit');
  t.is(describeRefusal('brand_new'), 'brand new');
});
