import test from 'ava';
import fc from 'fast-check';
import { redactSecrets, type SentRequest, secretsOf } from '#agent/probe/redact-secrets.ts';
import { assertionSchema } from '#shared/assertions/assertion.ts';
import type { AssertionOutcome } from '#shared/assertions/evaluate.ts';
import { evaluate } from '#shared/assertions/evaluate.ts';
import { timesAsLong } from '#test/support/thread-time.ts';

const outcomeOf = (actual: string | null): AssertionOutcome => ({
  index: 0,
  type: 'header',
  passed: false,
  expected: 'header x-echo eq "x"',
  actual,
});

/** Redacts what a request contained, with an index of its own. */
const redact = (outcomes: AssertionOutcome[], request: Partial<SentRequest>) => {
  const secrets = secretsOf({ url: '', headers: {}, body: null, ...request });
  return redactSecrets(outcomes, () => secrets);
};

/** What a result shows of a value after redaction. */
const shown = (actual: string | null, headers: Record<string, string>) =>
  redact([outcomeOf(actual)], { headers })[0]?.actual;

const inBase64 = (text: string) => Buffer.from(text).toString('base64');
const basic = (pair: string) => `Basic ${inBase64(pair)}`;

const cases: [what: string, actual: string, headers: Record<string, string>, shown: string][] = [
  ['a whole value', 'abcdef123', { 'X-Key': 'abcdef123' }, '[redacted]'],
  ['a value inside a text', 'got abcdef123!', { 'X-Key': 'abcdef123' }, 'got [redacted]!'],
  ['each occurrence', 'abcdef abcdef', { 'X-Key': 'abcdef' }, '[redacted] [redacted]'],
  ['the token of a scheme', 'token s3cr3t-token', { Authorization: 'Bearer s3cr3t-token' }, 'token [redacted]'],
  ['scheme and token together', 'Bearer s3cr3t-token', { Authorization: 'Bearer s3cr3t-token' }, '[redacted]'],
  [
    'the password of Basic',
    'no account with hunter22!',
    { authorization: basic('ann:hunter22!') },
    'no account with [redacted]',
  ],
  ['a password with a colon, encoded', 'p=hunter%3A22', { authorization: basic('ann:hunter:22') }, 'p=[redacted]'],
  ['a token in base64', `is ${inBase64('s3cr3t-token')}`, { Authorization: 'Bearer s3cr3t-token' }, 'is [redacted]'],
  ['one cookie of several', 'id is 1234567', { Cookie: 'lang=en; session=1234567' }, 'id is [redacted]'],
  ['a value quoted as JSON', '{"k":"a\\"quoted\\"b"}', { 'X-Key': 'a"quoted"b' }, '{"k":"[redacted]"}'],
  ['the longer of two secrets', 'abcdefghi', { A: 'abcdef', B: 'abcdefghi' }, '[redacted]'],
  ['a value of six characters', 'abcdef', { 'X-Key': 'abcdef' }, '[redacted]'],
  ['one of two that overlap, with the other', 'abcdefghi', { A: 'abcdefg', B: 'cdefghi' }, '[redacted]'],
  ['a value within a longer one that differs', 'xabcdefgh', { A: 'abcdef', B: 'abcdefgz' }, 'x[redacted]gh'],
  ['a long value', `a ${'0123456789'.repeat(70)} b`, { 'X-Key': '0123456789'.repeat(70) }, 'a [redacted] b'],
  ['a beginning within a character that was cut', 'long abc\uFFFD…', { 'X-Key': 'abc😀123' }, 'long [redacted]\uFFFD…'],
  ['a beginning at the cut', 'long abc…', { 'X-Key': 'abcdef123' }, 'long [redacted]…'],
];
for (const [what, actual, headers, expected] of cases)
  test(`${what} is redacted`, t => {
    t.is(shown(actual, headers), expected);
  });

const visible: [what: string, actual: string, headers: Record<string, string>][] = [
  ['a value shorter than six characters', 'abcde', { 'X-Key': 'abcde' }],
  ['a public header', 'application/json', { 'Content-Type': 'application/json', ACCEPT: 'application/json' }],
  ['two characters of a secret at the cut', 'long ab…', { 'X-Key': 'abcdef123' }],
  ['a beginning of a secret where nothing was cut', 'long abc', { 'X-Key': 'abcdef123' }],
  ['anything without request headers', 'abcdef123', {}],
];
for (const [what, actual, headers] of visible)
  test(`${what} stays visible`, t => {
    t.is(shown(actual, headers), actual);
  });

const sent: [what: string, actual: string, request: { url: string; body: string | null }, shown: string][] = [
  ['a value of the query', 'key s3cr3t key', { url: 'https://a/?key=s3cr3t', body: null }, 'key [redacted] key'],
  ['a value of a form', 'client_secret s3cr3t', { url: '', body: 'client_secret=s3cr3t' }, 'client_secret [redacted]'],
  ['a value of JSON', 'password hunter22', { url: '', body: '{"a":[{"password":"hunter22"}]}' }, 'password [redacted]'],
  ['a number of JSON', 'pin 123456', { url: '', body: '{"pin":123456}' }, 'pin [redacted]'],
  [
    'a value deep in JSON',
    'is s3cr3t',
    { url: '', body: `${'['.repeat(20_000)}"s3cr3t"${']'.repeat(20_000)}` },
    'is [redacted]',
  ],
  ['a whole body', 'got <a>s3cr3t</a>', { url: '', body: '<a>s3cr3t</a>' }, 'got [redacted]'],
  ['nothing short', 'en 12', { url: 'https://a/?lang=en', body: '{"b":12}' }, 'en 12'],
];
for (const [what, actual, request, expected] of sent)
  test(`${what} that was sent is shown as ${JSON.stringify(expected)}`, t => {
    t.is(redact([outcomeOf(actual)], request)[0]?.actual, expected);
  });

test('only `actual` changes, and a missing value stays null', t => {
  const outcome = { ...outcomeOf('abcdef'), expected: 'header x eq "abcdef"' };
  t.deepEqual(redact([outcome], { headers: { K: 'abcdef' } }), [{ ...outcome, actual: '[redacted]' }]);
  t.is(shown(null, { K: 'abcdef' }), null);
});

test('no part of a text is shown that equals a secret, and what is shown was there', t => {
  const letters = fc.constantFrom('a', 'b');
  const word = fc.array(letters, { minLength: 6, maxLength: 9 }).map(characters => characters.join(''));
  const text = fc.array(letters, { maxLength: 60 }).map(characters => characters.join(''));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), text, (secrets, actual) => {
      const isHidden = Array.from(actual, (_, index) =>
        secrets.some(secret =>
          actual.slice(Math.max(0, index - secret.length + 1), index + secret.length).includes(secret),
        ),
      );
      const expected = Array.from(actual, (character, index) => (isHidden[index] ? '#' : character)).join('');
      const headers = Object.fromEntries(secrets.map((secret, index) => [`X-${index}`, secret]));
      t.is(shown(actual, headers), expected.replaceAll(/#+/g, '[redacted]'));
    }),
  );
});

test('of any request exactly its values are redacted, and a beginning of one at a cut', t => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '"', ' ', '=', 'é', '😀', '\\'), maxLength: 12 });
  // A longer one is found in pieces.
  const json = fc.jsonValue().map(value => JSON.stringify(value));
  const bodies = fc.oneof(json, text).filter(body => body.length <= 200);
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 6 }),
      bodies,
      fc.array(text, { maxLength: 3 }),
      fc.boolean(),
      (...drawn) => {
        const [values, body, around, isCut] = drawn;
        const headers = Object.fromEntries(values.map((value, index) => [`X-${index}`, value]));
        const sent = [...values.flatMap(value => [value, ...value.split(/[\s;,=]+/)]), ...valuesOf(body)];
        const echoed = [...values, body.slice(0, 40)].join(around[0] ?? '').slice(0, isCut ? 20 : 200);
        const actual = `${around.join('')}${echoed}${isCut ? '…' : ''}`;
        t.is(redact([outcomeOf(actual)], { headers, body })[0]?.actual, redactedByRule(actual, sent));
      },
    ),
  );
});

/** A body and its values, found by other means. */
function valuesOf(body: string): string[] {
  const texts: string[] = [];
  try {
    JSON.parse(body, (_, value) => {
      if (typeof value !== 'object') texts.push(String(value));
      return value;
    });
    return [body, ...texts];
  } catch {
    return [body, ...new URLSearchParams(body).values()];
  }
}

/** What is to be shown, by trying each secret at each position. */
function redactedByRule(actual: string, sent: readonly string[]): string {
  const isHidden = new Array<boolean>(actual.length).fill(false);
  const secrets = sent.filter(value => value.length >= 6).flatMap(value => [value, JSON.stringify(value).slice(1, -1)]);
  for (const secret of secrets)
    for (let at = actual.indexOf(secret); at >= 0; at = actual.indexOf(secret, at + 1))
      isHidden.fill(true, at, at + secret.length);
  const end = actual.length - (actual.endsWith('\uFFFD…') ? 2 : 1);
  const starts = Array.from({ length: Math.max(0, end - 2) }, (_, start) => start);
  const start = starts.find(from => secrets.some(secret => secret.startsWith(actual.slice(from, end))));
  if (actual.endsWith('…') && start !== undefined) isHidden.fill(true, start, end);
  return Array.from(isHidden, (hidden, at) => (hidden ? '\0' : (actual[at] ?? '')))
    .join('')
    .replaceAll(/\0+/g, '[redacted]');
}

test('with 8,200 secrets fifty outcomes cost hardly more than one', async t => {
  const secrets = Array.from({ length: 8200 }, (_, index) => `s${String(index).padStart(6, '0')}`);
  const redactOf = (count: number) => {
    const outcomes = Array.from({ length: count }, () => outcomeOf(`${'all systems are operational '.repeat(9)}…`));
    for (let round = 0; round < 10; round++) redact(outcomes, { headers: { Cookie: secrets.join('; ') } });
  };
  const times = await timesAsLong(
    5,
    () => redactOf(1),
    () => redactOf(50),
  );
  t.true(times < 5, `${times} times as long`);
});

test('a secret that a target echoes anywhere in a long body is never shown, not even cut off', async t => {
  const assertion = assertionSchema.parse({ type: 'json_path', path: '$', operator: 'eq', value: 'x' });
  const secret = fc.stringMatching(/^[A-Za-z0-9"\\.]{8,40}$/);
  await fc.assert(
    fc.asyncProperty(secret, fc.integer({ min: 0, max: 300 }), async (value, before) => {
      const bodyText = JSON.stringify('.'.repeat(before) + value);
      const response = { statusCode: 200, headers: new Map(), truncated: false, bodyText };
      const outcomes = await evaluate([assertion], response, async (_, { value }) => [value]);
      const actual = redact(outcomes, { headers: { 'X-Key': value } })[0]?.actual ?? '';
      // Less than three characters of a secret may be left at the cut.
      const rest = actual.replaceAll('[redacted]', '').replace(/^\.*/, '');
      t.true(rest.replace('…', '').length < 3, actual);
    }),
  );
});
