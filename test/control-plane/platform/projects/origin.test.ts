import test from 'ava';
import { allowsOrigin, originSchema } from '#control-plane/platform/projects/origin.ts';

const accepted = [
  'https://shop.example',
  'http://localhost:3000',
  'http://[::1]:8080',
  'capacitor://localhost',
  'ionic://localhost',
  'tauri://localhost',
  'chrome-extension://abcdefghijklmnop',
  'app://obsidian.md',
  'https://*.example.com',
  'https://*.example.com:8443',
  'capacitor://*.example.com',
];
for (const origin of accepted)
  test(`${origin} is an origin`, t => {
    t.true(originSchema.safeParse(origin).success);
  });

const refused = [
  '',
  'null',
  '*',
  'https://*',
  'https://*.com',
  'https://*example.com',
  'https://a.*.example.com',
  'https://*.*.example.com',
  'https://example.com/*',
  'https://*.example.com/',
  '*://example.com',
  '*.example.com',
  'https://*.0.0.1',
  'https://shop.example/',
  'https://shop.example/a',
  'https://Shop.example',
  'https://shop.example:443',
  'https://user@shop.example',
  'https://shop.example?a',
  'Capacitor://localhost',
  'capacitor://localhost/',
  'capacitor://',
  'capacitor:localhost',
  'file://',
  'shop.example',
  'https://shop.example https://other.example',
  'https://shop.example\n',
];
for (const origin of refused)
  test(`${JSON.stringify(origin)} is none, and the answer says what is`, t => {
    t.regex(originSchema.safeParse(origin).error?.message ?? '', /must be an origin such as https:/);
  });

const decisions: [allowed: string, origin: string, allows: boolean][] = [
  ['https://shop.example', 'https://shop.example', true],
  ['https://shop.example', 'https://shop.example:444', false],
  ['capacitor://localhost', 'capacitor://localhost', true],
  ['capacitor://localhost', 'ionic://localhost', false],
  ['capacitor://localhost', 'http://localhost', false],
  ['https://*.example.com', 'https://a.example.com', true],
  ['https://*.example.com', 'https://a.b-1.example.com', true],
  ['https://*.example.com', 'https://xn--mnchen-3ya.example.com', true],
  ['https://*.example.com', 'https://example.com', false],
  ['https://*.example.com', 'https://.example.com', false],
  ['https://*.example.com', 'https://a..example.com', false],
  ['https://*.example.com', 'https://evilexample.com', false],
  ['https://*.example.com', 'https://a.example.com.evil.example', false],
  ['https://*.example.com', 'https://evil.example/.example.com', false],
  ['https://*.example.com', 'https://evil.example#.example.com', false],
  ['https://*.example.com', 'https://evil.example:1@a.example.com', false],
  ['https://*.example.com', 'http://a.example.com', false],
  ['https://*.example.com', 'https://a.example.com:8443', false],
  ['https://*.example.com', 'https://*.example.com', true],
  ['https://*.example.com:8443', 'https://a.example.com:8443', true],
  ['https://*.example.com:8443', 'https://a.example.com', false],
  ['https://*.example.com', 'null', false],
];
for (const [allowed, origin, allows] of decisions)
  test(`${allowed} ${allows ? 'allows' : 'does not allow'} ${origin}`, t => {
    t.is(allowsOrigin([allowed], origin), allows);
    t.is(allowsOrigin(['https://other.example', allowed], origin), allows);
    t.false(allowsOrigin([], origin));
  });
