import test from 'ava';
import { routePostSchema } from '#control-plane/on-call/routing/route.ts';
import {
  describeMatch,
  describeQuiet,
  draftOfRoute,
  moved,
  newQuietHours,
  newRoute,
  routeBody,
  routeChanges,
} from '#control-plane/web/dashboard/app/features/routes/route-draft.ts';
import { sampleRoute } from '../../samples.ts';

test('a route that is opened and saved untouched changes nothing', t => {
  const route = sampleRoute({ quiet_hours: newQuietHours('Europe/Berlin'), remind_every_minutes: 30 });
  const draft = draftOfRoute(route);
  t.deepEqual(routeChanges(draft, draft), {});
  t.true(routePostSchema.safeParse(routeBody(draft)).success);
  t.deepEqual(routeChanges(draft, { ...draft, remind: '' }), { remind_every_minutes: null });
  t.is(routePostSchema.safeParse(routeBody(newRoute)).success, false, 'a new one needs a name and a channel');
});

test('a route is described by what it takes and when it is quiet', t => {
  const match = { selector: null, severities: [], kinds: [], notices: [] };
  t.is(describeMatch(match), 'Every alert');
  t.is(
    describeMatch({ ...match, selector: 'env=prod', severities: ['p1', 'p2'], kinds: ['down'] }),
    'env=prod · P1, P2 · down',
  );
  t.is(describeMatch({ ...match, notices: ['region.silent'] }), 'Every alert · 1 kind of notice');
  t.is(describeQuiet(newQuietHours('UTC')), 'Quiet every day 22:00–07:00 UTC, except P1');
  const quiet = { ...newQuietHours('UTC'), except_severities: [] };
  t.is(describeQuiet({ ...quiet, days: ['mo', 'tu', 'we'] }), 'Quiet Mon–Wed 22:00–07:00 UTC');
  t.is(describeQuiet({ ...quiet, days: ['mo', 'we'], to: '22:00' }), 'Quiet Mon, Wed all day UTC');
});

test('an id moves within its list, and not beyond its ends', t => {
  t.deepEqual(moved(['a', 'b', 'c'], 'a', 1), ['b', 'a', 'c']);
  t.deepEqual(moved(['a', 'b', 'c'], 'a', 9), ['b', 'c', 'a']);
  t.deepEqual(moved(['a', 'b', 'c'], 'c', -1), ['c', 'a', 'b']);
  t.deepEqual(moved(['a'], 'x', 0), ['a']);
});
