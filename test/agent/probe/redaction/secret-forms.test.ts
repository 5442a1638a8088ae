import test from 'ava';
import fc from 'fast-check';
import { redactorOf, secretsOf } from '#agent/probe/redact-secrets.ts';

const request = { url: 'http://a.example/', headers: {}, body: null };
const redacted = (secret: string, text: string) =>
  redactorOf(() => secretsOf({ ...request, secrets: [secret] }))(text, 100_000);

for (const [title, encode] of [
  ['as it is', (text: string) => text],
  ['escaped in JSON', (text: string) => JSON.stringify(text).slice(1, -1)],
  ['percent-encoded', encodeURIComponent],
  [
    'percent-encoded in lower case',
    (text: string) => encodeURIComponent(text).replace(/%../g, one => one.toLowerCase()),
  ],
  ['in a form', (text: string) => new URLSearchParams({ a: text }).toString().slice(2)],
  ['in base64', (text: string) => Buffer.from(text).toString('base64')],
  ['in base64 of URLs', (text: string) => Buffer.from(text).toString('base64url')],
] as const) {
  test(`a secret of the project that is echoed ${title} is blacked out`, t => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 8, maxLength: 200 }), secret => {
        t.is(redacted(secret, `<${encode(secret)}>`), '<[redacted]>');
      }),
    );
  });
}

test('a secret in a longer text in base64 is blacked out but for its edges', t => {
  const secret = 'Zq7-Vx2_Kp9!';
  for (const before of ['', 'u', 'us', 'user:'])
    for (const after of ['', ' ', '  x']) {
      const text = redacted(secret, Buffer.from(`${before}${secret}${after}`).toString('base64'));
      t.true(text.includes('[redacted]'));
      t.false(Buffer.from(text.replace('[redacted]', ''), 'base64').toString().includes('Vx2'));
    }
});
