import test from 'ava';
import {
  describeComparison,
  describeMissing,
  describeSide,
  describeUsers,
} from '#control-plane/web/dashboard/app/features/releases/words.ts';
import type { IncidentImpact } from '#control-plane/web/dashboard/app/session/api-types.ts';

test('what cannot be told is said with its reason, and a release is never called the cause', t => {
  const users = { with_errors: 9, active: 400, expected: 2, affected: 7, low: 3, high: 11, significant: true };
  const measured: IncidentImpact['users'] = { ...users, status: 'measured', reason: null };
  t.is(describeUsers(measured), 'About 7 more users than usual had errors, between 3 and 11.');
  t.is(describeUsers({ ...measured, significant: false }), 'No more users had errors than usual at this hour.');
  t.regex(
    describeUsers({ ...measured, status: 'cannot_tell', reason: 'no_baseline' }),
    /^Cannot tell: there are not two/,
  );
  t.regex(
    describeMissing({ status: 'measured', reason: null, expected: 9, low: 2, high: 5 }),
    /Between 2 and 5 fewer users than usual/,
  );
  t.is(describeSide({ active: 300, with_errors: 3 }), '300 users, 3 with errors (1%)');
  t.is(describeSide({ active: 0, with_errors: 0 }), '0 users, 0 with errors');
  const compared = { verdict: 'suspect', reason: null, ratio: 12.2, low: 3.14, high: null } as const;
  t.is(describeComparison(compared), 'The share of users with errors rose after it (× 12, between × 3.1 and ?).');
  t.is(
    describeComparison({ ...compared, verdict: 'cannot_tell', reason: 'too_close' }),
    'Less than five minutes on one side.',
  );
});
