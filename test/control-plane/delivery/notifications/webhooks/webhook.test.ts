import test from 'ava';
import { webhookPatchSchema, webhookPostSchema } from '#control-plane/delivery/notifications/webhooks/webhook.ts';
import { webhookKinds } from '#shared/webhook-kinds.ts';

const url = 'https://hooks.example.com/in';

test('a new webhook is enabled and receives the seven kinds of 0.4.0 unless it says otherwise', t => {
  const kinds = webhookKinds.filter(kind => !/^notice|^maintenance|^config|^erasure|held$|alert.updated$/.test(kind));
  t.is(kinds.length, 7);
  t.deepEqual(webhookPostSchema.parse({ url }), { url, kinds, alert_kinds: ['down'], enabled: true });
  const chosen = { url, kinds: ['alert.opened'], alert_kinds: ['degraded'], enabled: false };
  t.deepEqual(webhookPostSchema.parse(chosen), chosen as never);
});

test('a patch has no defaults, so that it changes only what it names', t => {
  t.deepEqual(webhookPatchSchema.parse({}), {});
  t.deepEqual(webhookPatchSchema.parse({ enabled: false }), { enabled: false });
});

const refused: [what: string, body: object][] = [
  ['no URL', {}],
  ['a URL with credentials', { url: 'https://user:password@example.com' }],
  ['a URL of another scheme', { url: 'ftp://example.com' }],
  ['no kind', { url, kinds: [] }],
  ['an unknown kind of alerts', { url, alert_kinds: ['slow'] }],
  ['an unknown kind', { url, kinds: ['monitor.flipped'] }],
  ['a kind given twice', { url, kinds: ['alert.opened', 'alert.opened'] }],
];
for (const [what, body] of refused)
  test(`a webhook with ${what} is refused`, t => t.false(webhookPostSchema.safeParse(body).success));
