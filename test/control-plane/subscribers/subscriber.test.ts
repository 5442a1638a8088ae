import test from 'ava';
import { type Again, decideAgain, type SubscriberState } from '#control-plane/subscribers/subscriber.ts';

const now = Date.UTC(2026, 10, 20);
const minute = 60_000;

type Case = [
  what: string,
  state: SubscriberState,
  sentMinutesAgo: number | null,
  byVisitor: boolean,
  consent: string | null,
  Again,
];
const cases: Case[] = [
  [
    'a visitor changes nothing of an active one',
    'active',
    null,
    true,
    null,
    { state: 'active', confirm: false, replaceComponents: false },
  ],
  [
    'the operator changes the components of an active one',
    'active',
    1,
    false,
    null,
    { state: 'active', confirm: false, replaceComponents: true },
  ],
  [
    'a pending one is not asked twice within the hour',
    'pending',
    59,
    true,
    null,
    { state: 'pending', confirm: false, replaceComponents: true },
  ],
  [
    'and is asked again after it',
    'pending',
    60,
    true,
    null,
    { state: 'pending', confirm: true, replaceComponents: true },
  ],
  [
    'consent makes a pending one active',
    'pending',
    1,
    false,
    'by phone',
    { state: 'active', confirm: false, replaceComponents: true },
  ],
  [
    'who left is asked anew',
    'unsubscribed',
    600,
    true,
    null,
    { state: 'pending', confirm: true, replaceComponents: true },
  ],
  [
    'also where the operator says they agreed',
    'unsubscribed',
    null,
    false,
    'by phone',
    { state: 'pending', confirm: true, replaceComponents: true },
  ],
  [
    'so is who could not be reached',
    'quarantined',
    null,
    false,
    'by phone',
    { state: 'pending', confirm: true, replaceComponents: true },
  ],
  [
    'but never more than once an hour',
    'quarantined',
    5,
    true,
    null,
    { state: 'pending', confirm: false, replaceComponents: true },
  ],
];
for (const [what, state, ago, byVisitor, consent, expected] of cases)
  test(what, t => {
    const confirmationSentAt = ago === null ? null : now - ago * minute;
    t.deepEqual(decideAgain({ state, confirmationSentAt }, { byVisitor, consent }, now), expected);
  });
