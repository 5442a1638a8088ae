import test from 'ava';
import fc from 'fast-check';
import { type Routed, routesOf } from '#control-plane/on-call/routing/match.ts';
import type { RouteView } from '#control-plane/on-call/routing/route.ts';
import { routesOfNotice } from '#control-plane/on-call/routing/route-notice.ts';
import { alertKinds, severities } from '#shared/vocabulary.ts';

type Match = RouteView['match'];
type Matching = Pick<RouteView, 'id' | 'enabled' | 'match' | 'continue'>;
const anything: Match = { selector: null, severities: [], kinds: [], notices: [] };
const route = (id: string, match: Partial<Match> = {}, changes: Partial<Matching> = {}): Matching => ({
  id,
  enabled: true,
  continue: false,
  match: { ...anything, ...match },
  ...changes,
});
const alert: Routed = {
  id: 'mon_1',
  name: 'Checkout',
  kind: 'http',
  labels: { env: 'prod', team: 'shop' },
  severity: 'p2',
  alertKind: 'down',
};

const matches: readonly [match: Partial<Match>, doesMatch: boolean][] = [
  [{}, true],
  [{ selector: '*' }, true],
  [{ selector: 'env=prod' }, true],
  [{ selector: 'env=prod,team=shop' }, true],
  [{ selector: 'env=prod,team=web' }, false],
  [{ selector: 'env in (stage, prod)' }, true],
  [{ selector: 'env!=prod' }, false],
  [{ selector: 'tier!=one' }, true],
  [{ selector: 'tier' }, false],
  [{ selector: '!tier' }, true],
  [{ selector: '@id=mon_1' }, true],
  [{ selector: '@name=Checkout' }, true],
  [{ selector: '@kind=tcp' }, false],
  [{ severities: ['p2'] }, true],
  [{ severities: ['p1', 'p2'] }, true],
  [{ severities: ['p1', 'p3'] }, false],
  [{ kinds: ['down'] }, true],
  [{ kinds: ['degraded', 'certificate'] }, false],
  [{ selector: 'env=prod', severities: ['p2'], kinds: ['down'] }, true],
  [{ selector: 'env=prod', severities: ['p1'], kinds: ['down'] }, false],
  [{ selector: 'env=stage', severities: ['p2'], kinds: ['down'] }, false],
  [{ notices: ['region.silent'] }, false],
  [{ notices: ['region.silent'], kinds: ['down'] }, true],
  [{ notices: ['region.silent'], severities: ['p2'] }, true],
  [{ notices: ['region.silent'], selector: '*' }, true],
];
for (const [match, doesMatch] of matches)
  test(`a route for ${JSON.stringify(match)} ${doesMatch ? 'takes' : 'does not take'} a p2 that is down in prod`, t => {
    t.is(routesOf([route('r', match)], alert).length, doesMatch ? 1 : 0);
    t.deepEqual(routesOf([route('r', match, { enabled: false })], alert), [], 'switched off it takes nothing');
  });

const orders: readonly [title: string, routes: Matching[], taken: string[]][] = [
  ['only the first that matches', [route('a'), route('b')], ['a']],
  ['on to the next', [route('a', {}, { continue: true }), route('b'), route('c')], ['a', 'b']],
  ['on to the end', [route('a', {}, { continue: true }), route('b', {}, { continue: true })], ['a', 'b']],
  ['past one that does not match', [route('a', { severities: ['p1'] }), route('b')], ['b']],
  ['past one that is off', [route('a', {}, { enabled: false }), route('b')], ['b']],
  [
    'past one that goes on but does not match',
    [route('a', { kinds: ['degraded'] }, { continue: true }), route('b')],
    ['b'],
  ],
  ['past one for notices alone', [route('a', { notices: ['agent.silent'] }), route('b')], ['b']],
  ['nowhere', [], []],
];
for (const [title, routes, taken] of orders)
  test(`an alert goes ${title}`, t => {
    t.deepEqual(
      routesOf(routes, alert).map(({ id }) => id),
      taken,
    );
  });

const notices: readonly [title: string, routes: Matching[], taken: string[]][] = [
  ['to a route that names it', [route('a', { notices: ['region.silent'] })], ['a']],
  ['to none that names another', [route('a', { notices: ['agent.silent'] })], []],
  ['to none that names nothing', [route('a')], []],
  ['to none with a selector', [route('a', { notices: ['region.silent'], selector: '*' })], []],
  [
    'to one with severities, which are of alerts',
    [route('a', { notices: ['region.silent'], severities: ['p1'] })],
    ['a'],
  ],
  ['to none that is off', [route('a', { notices: ['region.silent'] }, { enabled: false })], []],
  [
    'to the first alone',
    [route('a', { notices: ['region.silent'] }), route('b', { notices: ['region.silent'] })],
    ['a'],
  ],
  [
    'on from one that continues',
    [route('a', { notices: ['region.silent'] }, { continue: true }), route('b', { notices: ['region.silent'] })],
    ['a', 'b'],
  ],
];
for (const [title, routes, taken] of notices)
  test(`a notice goes ${title}`, t => {
    t.deepEqual(
      routesOfNotice(routes, 'region.silent').map(({ id }) => id),
      taken,
    );
  });

test('the routes taken are those that would match alone, in their order, up to the first that does not continue', t => {
  const some = <Item>(items: readonly Item[]) => fc.subarray([...items]);
  const routes = fc.array(
    fc.record({
      selector: fc.constantFrom(null, '*', 'env=prod', 'env=stage', '!tier'),
      severities: some(severities),
      kinds: some(alertKinds),
      enabled: fc.boolean(),
      goesOn: fc.boolean(),
    }),
    { maxLength: 6 },
  );
  const alerts = fc.record({ severity: fc.constantFrom(...severities), alertKind: fc.constantFrom(...alertKinds) });
  fc.assert(
    fc.property(routes, alerts, (rows, about) => {
      const list = rows.map(({ selector, severities, kinds, enabled, goesOn }, index) =>
        route(`${index}`, { selector, severities, kinds }, { enabled, continue: goesOn }),
      );
      const subject = { ...alert, ...about };
      const alone = list.filter(one => routesOf([one], subject).length === 1);
      const end = alone.findIndex(one => !one.continue);
      const expected = end < 0 ? alone : alone.slice(0, end + 1);
      t.deepEqual(routesOf(list, subject), expected);
    }),
    { numRuns: 200 },
  );
});
