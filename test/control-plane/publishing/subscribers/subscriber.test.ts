import test from 'ava';
import fc from 'fast-check';
import {
  decideResubscription,
  hashToken,
  importSchema,
  isToken,
  mayConfirm,
  newToken,
  newWebhookSecret,
  type Resubscription,
  type SubscriberState,
  subscriberPostSchema,
  subscriberStates,
  subscribeSchema,
} from '#control-plane/publishing/subscribers/subscriber.ts';

const now = Date.UTC(2026, 10, 20);
const minute = 60_000;

type Case = [title: string, state: SubscriberState, byVisitor: boolean, consent: string | null, Resubscription];
const asked = { state: 'pending', confirm: true, replaceComponents: true } as const;
const active = { state: 'active', confirm: false, replaceComponents: true } as const;
const cases: Case[] = [
  ['a visitor changes nothing of an active subscriber', 'active', true, null, { ...active, replaceComponents: false }],
  ['the operator changes the components of an active subscriber', 'active', false, null, active],
  ['a pending subscriber is asked again', 'pending', true, null, asked],
  ['consent makes a pending subscriber active', 'pending', false, 'by phone', active],
  [
    'a visitor changes nothing of an address that unsubscribed',
    'unsubscribed',
    true,
    null,
    { state: 'unsubscribed', confirm: false, replaceComponents: false },
  ],
  ['an unsubscribed address must confirm again when the operator adds it', 'unsubscribed', false, 'by phone', asked],
  ['a quarantined address must confirm again', 'quarantined', false, 'by phone', asked],
  ['a visitor may ask again for a quarantined address', 'quarantined', true, null, asked],
];
for (const [title, state, byVisitor, consent, expected] of cases)
  test(title, t => {
    t.deepEqual(decideResubscription(state, { byVisitor, consent }), expected);
  });

const waits: [sent: number, minutesAgo: number, may: boolean][] = [
  [0, 0, true],
  [1, 59, false],
  [1, 60, true],
  [2, 24 * 60 - 1, false],
  [2, 24 * 60, true],
  [3, 7 * 24 * 60 - 1, false],
  [3, 7 * 24 * 60, true],
  [4, 1e6, false],
  [100, 1e6, false],
];
for (const [sent, minutesAgo, may] of waits)
  test(`${minutesAgo} minutes after confirmation ${sent} an address may ${may ? '' : 'not '}get another`, t => {
    t.is(mayConfirm({ sent, lastSentAt: sent === 0 ? null : now - minutesAgo * minute }, now), may);
  });

test('whoever asks and however often, an address gets at most four confirmation emails for a page', t => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 * 24 * 60 }), { maxLength: 60 }), pauses => {
      let [sent, at, lastSentAt]: [number, number, number | null] = [0, now, null];
      for (const minutes of pauses) {
        at += minutes * minute;
        if (!mayConfirm({ sent, lastSentAt }, at)) continue;
        sent += 1;
        lastSentAt = at;
      }
      return sent <= 4;
    }),
  );
  t.pass();
});

const state = fc.constantFrom(...subscriberStates);
const request = fc.record({ byVisitor: fc.boolean(), consent: fc.option(fc.string()) });

test('only an owner’s confirmation, or consent while it is pending, makes an address active', t => {
  fc.assert(
    fc.property(state, request, (before, wish) => {
      const after = decideResubscription(before, wish);
      const isActive =
        before === 'active' || (before === 'pending' && wish.consent !== null && after.state === 'active');
      return (after.state === 'active') === isActive && after.confirm === (after.state === 'pending');
    }),
  );
  t.pass();
});

test('a visitor never changes the components of an active subscriber', t => {
  fc.assert(
    fc.property(state, request, (before, wish) => {
      const { replaceComponents } = decideResubscription(before, wish);
      return replaceComponents === !(wish.byVisitor && (before === 'active' || before === 'unsubscribed'));
    }),
  );
  t.pass();
});

test('every token is new, fits into a URL and is found by its hash', t => {
  const tokens = Array.from({ length: 100 }, newToken);
  t.is(new Set(tokens.map(({ token }) => token)).size, 100);
  for (const { token, hash } of tokens) {
    t.true(isToken(token));
    t.false(isToken(`${token}x`) || isToken(token.slice(1)));
    t.deepEqual(hashToken(token), hash);
  }
  t.regex(newWebhookSecret(), /^whsec_[A-Za-z0-9+/]{43}=$/);
  t.not(newWebhookSecret(), newWebhookSecret());
});

const posts: [what: string, body: object, faults: string[]][] = [
  ['an email address', { email: 'ada@example.com' }, []],
  ['a webhook', { channel: 'webhook', url: 'https://example.com' }, []],
  ['nothing', {}, ['email is required for the channel email']],
  ['both', { email: 'ada@example.com', url: 'https://example.com' }, ['url is not allowed for the channel email']],
  [
    'an email address for a webhook',
    { channel: 'webhook', email: 'ada@example.com' },
    ['url is required for the channel webhook', 'email is not allowed for the channel webhook'],
  ],
  ['an address without a domain', { email: 'ada' }, ['email must be an email address']],
];
for (const [what, body, faults] of posts)
  test(`a subscriber with ${what} ${faults.length === 0 ? 'is accepted' : `is refused: ${faults.join(', ')}`}`, t => {
    const parsed = subscriberPostSchema.safeParse(body);
    const issues = parsed.success ? [] : parsed.error.issues;
    t.deepEqual(
      issues.map(issue => `${issue.path.join('/')} ${issue.message}`),
      faults,
    );
  });

test('an import needs a consent and 1 to 1000 addresses', t => {
  const of = (count: number) => Array.from({ length: count }, (_, index) => ({ email: `p${index}@example.com` }));
  const accepts = (consent: unknown, count: number) =>
    importSchema.safeParse({ consent, subscribers: of(count) }).success;
  t.deepEqual([accepts('x', 1), accepts('x', 1000)], [true, true]);
  t.deepEqual([accepts('x', 0), accepts('x', 1001), accepts(' ', 1), accepts(undefined, 1)], Array(4).fill(false));
});

test('the public form has an address and, if it likes, components', t => {
  t.deepEqual(subscribeSchema.parse({ email: ' Ada@EXAMPLE.com ' }), { email: 'Ada@example.com', component_ids: [] });
  t.false(subscribeSchema.safeParse({ email: 'a@example.com', component_ids: ['comp_1', 'comp_1'] }).success);
});
