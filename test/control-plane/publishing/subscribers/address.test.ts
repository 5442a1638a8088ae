import test from 'ava';
import fc from 'fast-check';
import { maskAddress, normalise, parseEmail, webhookUrlSchema } from '#control-plane/publishing/subscribers/address.ts';
import { anyText } from '#test/support/any-text.ts';

const accepted: [string, string][] = [
  ['ada@example.com', 'ada@example.com'],
  ['Ada.Lovelace+status@Example.COM', 'Ada.Lovelace+status@example.com'],
  ['a@b.co', 'a@b.co'],
  ["o'neil@example.org", "o'neil@example.org"],
  ['info@bücher.example', 'info@xn--bcher-kva.example'],
  ['x@例え.テスト', 'x@xn--r8jz45g.xn--zckzah'],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
];
for (const [text, address] of accepted) test(`${text} is an email address`, t => t.is(parseEmail(text), address));

const refused = [
  '',
  'ada',
  'ada@',
  '@example.com',
  'ada@example',
  'ada@@example.com',
  'ada@b@example.com',
  'ada @example.com',
  'ada@exam ple.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..b@example.com',
  'ada@-example.com',
  'ada@example-.com',
  'ada@example..com',
  'ada@.example.com',
  'ada@127.0.0.1',
  'ada@[127.0.0.1]',
  'ada@0x7f.1',
  'ada@example.com:25',
  'ada@example.com/x',
  'ada@example.com?x',
  'ada@example.com#x',
  'ada@example.c0m,b@example.com',
  'ada@example.com\r\nBcc: all@example.com',
  'ada\n@example.com',
  'ada@example.com\u0000',
  'ada@exam\u200bple.com\n',
  '"ada"@example.com',
  'Ada <ada@example.com>',
  'ädä@example.com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.com`,
  `ada@${'abcdefgh.'.repeat(30)}com`,
];
for (const text of refused)
  test(`${JSON.stringify(text.slice(0, 60))} is not an email address`, t => t.is(parseEmail(text), null));

test('an accepted email address is ASCII with one @, at most 254 characters, and is accepted again unchanged', t => {
  fc.assert(
    fc.property(fc.oneof(fc.emailAddress(), fc.string(), anyText()), text => {
      const address = parseEmail(text);
      if (address === null) return true;
      return (
        /^[\x21-\x7e]+$/.test(address) &&
        address.split('@').length === 2 &&
        address.length <= 254 &&
        parseEmail(address) === address
      );
    }),
    { numRuns: 2000 },
  );
  t.pass();
});

test('email addresses are compared without case, URLs with it', t => {
  t.is(normalise('email', 'Ada@example.com'), normalise('email', 'ada@example.com'));
  t.not(normalise('webhook', 'https://example.com/A'), normalise('webhook', 'https://example.com/a'));
});

test('a masked address shows neither the person nor the path', t => {
  t.is(maskAddress('ada@example.com'), 'a***@example.com');
  t.is(maskAddress('https://hooks.example.com/services/secret?key=1'), 'https://hooks.example.com/***');
  t.is(maskAddress('https://example.com/@secret@x'), 'https://example.com/***');
});

test('a mask keeps the first letter and the domain of an email address, and nothing else of its local part', t => {
  t.is(maskAddress('not an address'), '***');
  t.is(maskAddress('@example.com'), '***');
  fc.assert(
    fc.property(fc.emailAddress(), address => {
      const host = address.slice(address.lastIndexOf('@'));
      return maskAddress(address) === `${address.slice(0, 1)}***${host}`;
    }),
  );
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), url =>
      /^https?:\/\/[^/]+\/\*\*\*$/.test(maskAddress(url)),
    ),
  );
});

test('a webhook’s URL is http or https, without credentials', t => {
  for (const url of ['http://example.com', 'https://example.com:8443/a?b=c'])
    t.is(webhookUrlSchema.safeParse(url).success, true, url);
  for (const url of [
    'ftp://example.com',
    'javascript:alert(1)',
    'https://user:password@example.com',
    '//example.com',
    'https://',
    `https://example.com/${'x'.repeat(2048)}`,
  ])
    t.is(webhookUrlSchema.safeParse(url).success, false, url);
});
