import test from 'ava';
import { routePatchSchema, routePostSchema, rulesOf } from '#control-plane/on-call/routing/route.ts';
import { minuteMs } from '#shared/duration.ts';

const step = (after_minutes: number, ...channel_ids: string[]) => ({ after_minutes, channel_ids });
const valid = { name: 'all', steps: [step(0, 'chn_1')] };
const quiet = { timezone: 'Europe/Berlin', from: '22:00', to: '07:00' };
const ids = (count: number) => Array.from({ length: count }, (_, index) => `chn_${index}`);
const afters = (count: number) => Array.from({ length: count }, (_, index) => step(index, 'chn_1'));

test('a route has defaults: it is on, for all alerts, the last one, without reminders and quiet hours', t => {
  t.deepEqual(routePostSchema.parse(valid), {
    ...valid,
    enabled: true,
    match: { selector: null, severities: [], kinds: [], notices: [] },
    continue: false,
    remind_every_minutes: null,
    quiet_hours: null,
  });
  t.deepEqual(routePostSchema.parse({ ...valid, quiet_hours: quiet }).quiet_hours, {
    ...quiet,
    days: ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'],
    except_severities: ['p1'],
  });
  t.deepEqual(routePatchSchema.parse({ name: 'x' }), { name: 'x' }, 'a change has none');
});

const taken: readonly object[] = [
  { steps: [step(0, ...ids(20))] },
  { steps: afters(10) },
  { steps: [step(0, 'chn_1'), step(1440, 'chn_1')] },
  { remind_every_minutes: 5 },
  { remind_every_minutes: 1440 },
  { quiet_hours: { ...quiet, from: '00:00', to: '23:59' } },
  { quiet_hours: { ...quiet, from: '08:00', to: '08:00' } },
  { quiet_hours: { ...quiet, timezone: 'UTC', days: ['su'], except_severities: [] } },
  { match: { selector: 'env=prod,team in (a, b)', severities: ['p1', 'p3'], kinds: ['certificate'] } },
  { match: { notices: ['region.silent', 'channel.failing'] } },
];
for (const change of taken)
  test(`a route with ${JSON.stringify(change).slice(0, 90)} is taken`, t => {
    t.true(routePostSchema.safeParse({ ...valid, ...change }).success);
    t.true(routePatchSchema.safeParse(change).success);
  });

const refused: readonly [change: object, path: string][] = [
  [{ name: '' }, 'name'],
  [{ name: 'x'.repeat(101) }, 'name'],
  [{ name: 'a\nb' }, 'name'],
  [{ steps: [] }, 'steps'],
  [{ steps: afters(11) }, 'steps'],
  [{ steps: [step(1, 'chn_1')] }, 'steps.0.after_minutes'],
  [{ steps: [step(0, 'chn_1'), step(0, 'chn_2')] }, 'steps.1.after_minutes'],
  [{ steps: [step(0, 'chn_1'), step(9, 'chn_2'), step(5, 'chn_2')] }, 'steps.2.after_minutes'],
  [{ steps: [step(0, 'chn_1'), step(1441, 'chn_2')] }, 'steps.1.after_minutes'],
  [{ steps: [step(0, 'chn_1'), step(1.5, 'chn_2')] }, 'steps.1.after_minutes'],
  [{ steps: [step(0)] }, 'steps.0.channel_ids'],
  [{ steps: [step(0, ...ids(21))] }, 'steps.0.channel_ids'],
  [{ steps: [step(0, 'chn_1', 'chn_1')] }, 'steps.0.channel_ids.1'],
  [{ remind_every_minutes: 4 }, 'remind_every_minutes'],
  [{ remind_every_minutes: 1441 }, 'remind_every_minutes'],
  [{ quiet_hours: { ...quiet, timezone: 'Europe/Atlantis' } }, 'quiet_hours.timezone'],
  [{ quiet_hours: { ...quiet, timezone: '+02:00' } }, 'quiet_hours.timezone'],
  [{ quiet_hours: { ...quiet, timezone: '' } }, 'quiet_hours.timezone'],
  [{ quiet_hours: { ...quiet, from: '24:00' } }, 'quiet_hours.from'],
  [{ quiet_hours: { ...quiet, from: '7:00' } }, 'quiet_hours.from'],
  [{ quiet_hours: { ...quiet, to: '07:60' } }, 'quiet_hours.to'],
  [{ quiet_hours: { ...quiet, days: [] } }, 'quiet_hours.days'],
  [{ quiet_hours: { ...quiet, days: ['mo', 'mo'] } }, 'quiet_hours.days.1'],
  [{ quiet_hours: { ...quiet, days: ['monday'] } }, 'quiet_hours.days.0'],
  [{ quiet_hours: { ...quiet, except_severities: ['p0'] } }, 'quiet_hours.except_severities.0'],
  [{ match: { selector: 'env=' } }, 'match.selector'],
  [{ match: { selector: 'x'.repeat(5000) } }, 'match.selector'],
  [{ match: { severities: ['p1', 'p1'] } }, 'match.severities.1'],
  [{ match: { kinds: ['up'] } }, 'match.kinds.0'],
  [{ match: { notices: ['alert.opened'] } }, 'match.notices.0'],
];
for (const [change, path] of refused)
  test(`a route with ${JSON.stringify(change).slice(0, 90)} is refused at ${path}`, t => {
    for (const schema of [routePostSchema.safeParse({ ...valid, ...change }), routePatchSchema.safeParse(change)])
      t.is(schema.error?.issues[0]?.path.join('.'), path);
  });

test('the rules of a route are its minutes in milliseconds and the severities that are never quiet', t => {
  const post = { ...routePostSchema.parse({ ...valid, steps: [step(0, 'a'), step(15, 'b', 'c')] }), id: 'rte_1' };
  const steps = [
    { afterMs: 0, channelIds: ['a'] },
    { afterMs: 15 * minuteMs, channelIds: ['b', 'c'] },
  ];
  const none = { remindMs: null, quiet: null, exceptSeverities: [] };
  t.deepEqual(rulesOf(post), { id: 'rte_1', enabled: true, steps, ...none });
  const quiet_hours = routePostSchema.parse({ ...valid, quiet_hours: quiet }).quiet_hours;
  const all = rulesOf({ ...post, enabled: false, remind_every_minutes: 30, quiet_hours });
  t.like(all, { enabled: false, remindMs: 30 * minuteMs, exceptSeverities: ['p1'] });
});
