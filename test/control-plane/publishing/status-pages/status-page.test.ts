import test from 'ava';
import fc from 'fast-check';
import { pageUrl } from '#control-plane/publishing/status-pages/hosts/own-address.ts';
import { slugOf, statusPagePostSchema } from '#control-plane/publishing/status-pages/status-page.ts';

const slugs: [name: string, slug: string | null][] = [
  ['Acme', 'acme'],
  ['Acme Payments, Inc.', 'acme-payments-inc'],
  ['  Ünïcödé & Söhne ', 'unicode-sohne'],
  ['ﬁrst', 'first'],
  ['--a--b--', 'a-b'],
  ['東京', null],
  ['!', null],
  ['', null],
  [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
];
for (const [name, slug] of slugs)
  test(`the slug of ${JSON.stringify(name.slice(0, 24))} is ${slug}`, t => {
    t.is(slugOf(name), slug);
  });

test('a derived slug is always one that may be posted', t => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 60, maxLength: 80 })), name => {
      const slug = slugOf(name);
      t.true(slug === null || statusPagePostSchema.safeParse({ name: 'x', slug }).success, String(slug));
    }),
  );
});

const zones: [timezone: string, valid: boolean][] = [
  ['UTC', true],
  ['Europe/Berlin', true],
  ['America/Argentina/Buenos_Aires', true],
  ['+02:00', false],
  ['Mars/Olympus', false],
  ['', false],
];
for (const [timezone, valid] of zones)
  test(`${JSON.stringify(timezone)} is ${valid ? 'a' : 'no'} time zone of a page`, t => {
    t.is(statusPagePostSchema.safeParse({ name: 'Acme', timezone }).success, valid);
  });

test('a page needs a name only', t => {
  t.deepEqual(statusPagePostSchema.parse({ name: 'Acme' }), {
    name: 'Acme',
    slug: null,
    description: '',
    timezone: 'UTC',
    locale: 'en',
    theme: 'auto',
    history_days: 90,
    logo: null,
    color: null,
    home_url: null,
    support_url: null,
    access: { type: 'public' },
  });
});

test('the address of a page has no trailing slash', t => {
  t.is(pageUrl('https://status.example', { slug: 'acme' }), 'https://status.example/status/acme');
  const own = { slug: 'acme', domain: 'up.acme.example' };
  t.is(pageUrl('https://status.example:8443', own), 'https://up.acme.example');
  t.is(pageUrl('http://localhost:8080', own), 'http://up.acme.example:8080');
  t.is(pageUrl('http://localhost', own), 'http://up.acme.example');
});
