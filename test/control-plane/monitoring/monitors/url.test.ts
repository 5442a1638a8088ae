import test from 'ava';
import fc from 'fast-check';
import { encodedUrl, urlError } from '#control-plane/monitoring/monitors/url.ts';

for (const [text, encoded] of [
  ['https://example.org/a b/{id}?q=a b', 'https://example.org/a%20b/%7Bid%7D?q=a%20b'],
  [' https://example.org/x ', 'https://example.org/x'],
  ['https://example.org/?filter={"a":1}', 'https://example.org/?filter={%22a%22:1}'],
  ['https://example.org/grün#über', 'https://example.org/gr%C3%BCn#%C3%BCber'],
  ['https://example.org/🙂', 'https://example.org/%F0%9F%99%82'],
  ['https://example.org/100%/%20%zz', 'https://example.org/100%/%20%zz'],
  ['https://Example.org', 'https://Example.org'],
  ['HTTPS://münchen.example/a/../b', 'HTTPS://münchen.example/a/../b'],
] as const)
  test(`${JSON.stringify(text)} becomes ${encoded}`, t => {
    t.is(encodedUrl(text), encoded);
    t.is(urlError(encoded), null);
  });

for (const text of [
  'https://exa mple.org/',
  'https:// example.org/',
  'https://a/\tb',
  'https://a/b\nc',
  'https://a\\b c',
  'a b',
])
  test(`${JSON.stringify(text)} is refused`, t => {
    t.not(urlError(encodedUrl(text)), null);
  });

test('a URL is what the URL standard makes of it, shown as it is sent', t => {
  const characters = fc.constantFrom(...' !"#$%&\'()*+,-./:;<=>?@[]^_`{|}~aZ09éß漢🙂\ud800\u00a0');
  fc.assert(
    fc.property(fc.string({ unit: characters, maxLength: 20 }), text => {
      const typed = `https://example.org/x${text}`;
      const encoded = encodedUrl(typed);
      t.is(new URL(encoded).href, new URL(typed).href);
      t.is(encodedUrl(encoded), encoded);
      // Segments of dots are resolved later.
      const { origin, pathname, search, hash } = new URL(encoded);
      if (!encoded.includes('/.') && !/[?#]$/.test(encoded) && !encoded.includes('?#'))
        t.is(origin + pathname + search + hash, encoded);
    }),
    { numRuns: 3000 },
  );
});
