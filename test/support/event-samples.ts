import type { Api } from './control-plane.ts';

const minuteMs = 60_000;

/** Two releases, a flow, and users who get through it or not, some with errors, within the last hour. */
export async function sendSampleEvents(api: Api): Promise<{ flowId: string; userId: string }> {
  const nowMs = Date.now();
  const at = (minutesAgo: number, seconds = 0) =>
    new Date(nowMs - minutesAgo * minuteMs + seconds * 1000).toISOString();
  await api('POST', '/v0/releases', {
    version: '2.3.0',
    name: 'Faster search',
    released_at: at(55),
    commit_sha: 'c0ffee1',
  });
  await api('POST', '/v0/releases', { version: '2.4.0', released_at: at(20), url: 'https://git.example/2.4.0' });
  const flow = await api('POST', '/v0/flows', {
    name: 'Checkout',
    steps: [
      { event: 'cart_viewed' },
      { event: 'address_entered', name: 'Enters the address' },
      { event: 'order_paid', where: [{ prop: 'total', op: 'gt', value: 0 }] },
    ],
    window_seconds: 3600,
  });
  const events = Array.from({ length: 120 }, (_, user) => {
    const minutes = 50 - (user % 45);
    const person = { external_user_id: `user-${user}`, session_id: `s-${user}-${minutes}` };
    const steps = user % 5 === 0 ? 3 : user % 2 === 0 ? 2 : 1;
    const names = ['cart_viewed', 'address_entered', 'order_paid'].slice(0, steps);
    return [
      ...names.map((name, index) => ({
        ...person,
        name,
        timestamp: at(minutes, index * 40),
        props: { total: 20 + user, currency: 'EUR', plan: user % 3 === 0 ? 'team' : 'pro' },
      })),
      ...(user % 11 === 0
        ? [
            {
              ...person,
              name: 'PaymentDeclined',
              type: 'error',
              timestamp: at(minutes, 90),
              props: { code: 'card_expired' },
            },
          ]
        : []),
    ];
  }).flat();
  const visit = (session: string, minutesAgo: number, names: readonly string[]) =>
    names.map((name, index) => ({
      name,
      external_user_id: 'ada@customer.example',
      session_id: session,
      timestamp: at(minutesAgo, index * 50),
      ...(name.startsWith('Payment') ? { type: 'error', props: { code: 'card_expired', attempt: index } } : {}),
    }));
  await api('POST', '/v0/events', [
    ...events,
    ...visit('tablet-7', 48, ['cart_viewed', 'address_entered']),
    ...visit('phone-1', 30, ['cart_viewed', 'PaymentDeclined', 'PaymentDeclined']),
    ...visit('desk-2', 12, ['cart_viewed', 'address_entered', 'order_paid']),
    { name: 'newsletter_opened', external_user_id: 'ada@customer.example', timestamp: at(40) },
    { name: '' },
  ]);
  return { flowId: flow.body.id, userId: 'ada@customer.example' };
}
