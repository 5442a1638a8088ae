import test from 'ava';
import { use, useOf } from '#control-plane/web/dashboard/app/features/quotas/quotas.ts';

test('a limit says how full it is', t => {
  t.like(useOf({ resource: 'monitors', used: 160, maximum: 200 }), { text: '160 of 200', level: 'near' });
  t.like(useOf({ resource: 'event_bytes_per_day', used: 2e9, maximum: 1e9 }), {
    text: '2.0 GB of 1.0 GB',
    level: 'full',
  });
  t.is(use('x', 1, 200, String).level, 'ok');
});
