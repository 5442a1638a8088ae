import { readFileSync } from 'node:fs';
import test from 'ava';
import { signWebhook } from '#control-plane/delivery/transports/webhook/webhook.ts';

type Verify = (secret: string, headers: Record<string, string>, body: Buffer) => boolean;

test('the function of the guide takes messages that we sign, also with two secrets, and no others', async t => {
  const [, code = ''] = /```js\n([\s\S]+?)```/.exec(readFileSync('docs/webhooks.md', 'utf8')) ?? [];
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { isGenuine: Verify };
  const secretOf = (text: string) => `whsec_${Buffer.from(text).toString('base64')}`;
  const [secret, next] = [secretOf('one secret'), secretOf('the next one')];
  const body = Buffer.from('{"type":"alert.opened","data":{"name":"Büro"}}');
  const seconds = Math.floor(Date.now() / 1000);
  const sign = (by: string, at = seconds) => signWebhook(by, 'dlv_1', at, body.toString());
  const headers = (signature: string, at = seconds) => ({
    'webhook-id': 'dlv_1',
    'webhook-timestamp': String(at),
    'webhook-signature': signature,
  });
  t.true(isGenuine(secret, headers(sign(secret)), body));
  t.true(isGenuine(secret, headers(`${sign(next)} ${sign(secret)}`), body));
  t.false(isGenuine(secret, headers(sign(next)), body));
  t.false(isGenuine(secret, headers(sign(secret)), Buffer.from('{}')));
  t.false(isGenuine(secret, { ...headers(sign(secret)), 'webhook-id': 'dlv_2' }, body));
  t.false(isGenuine(secret, headers(sign(secret, seconds - 301), seconds - 301), body));
  for (const other of [{}, headers(''), headers('v1,'), { ...headers(sign(secret)), 'webhook-timestamp': 'soon' }])
    t.false(isGenuine(secret, other, body));
});
