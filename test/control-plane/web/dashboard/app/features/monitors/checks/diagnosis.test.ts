import test from 'ava';
import { diagnosesOf } from '#control-plane/web/dashboard/app/features/monitors/checks/diagnosis.ts';

const blocked = { kind: 'blocked', provider: 'cloudflare', confidence: 'likely' } as const;

test('what the newest check of each region was answered by is said once', t => {
  const checks = [
    { region: 'a', diagnosis: blocked },
    { region: 'b', diagnosis: null },
    { region: 'c', diagnosis: blocked },
    { region: 'b', diagnosis: blocked },
  ];
  t.deepEqual(diagnosesOf(checks), ['What answered: probably a refusal by cloudflare (a, c).']);
  t.deepEqual(diagnosesOf([{ region: 'a', diagnosis: { kind: 'login', provider: null, confidence: 'certain' } }]), [
    'What answered: a page to sign in (a).',
  ]);
  t.deepEqual(diagnosesOf([]), []);
});
