import test from 'ava';
import { mapTexts, placesOf } from '#control-plane/monitoring/monitors/secrets/places.ts';

const url = 'https://a.example/x';
const settings = { url, headers: { 'X/Y': '1', b: '2' }, body: '3', tcp: { send: '4', read: false } };

test('the places of settings have their pointers, texts and the URL they are sent to', t => {
  t.deepEqual(
    placesOf(settings).map(place => [place.pointer, place.text, place.url, place.isHeader]),
    [
      ['/headers/X~1Y', '1', url, true],
      ['/headers/b', '2', url, true],
      ['/body', '3', url, false],
      ['/tcp/send', '4', url, false],
    ],
  );
  t.deepEqual(placesOf({ url, headers: {}, body: null, tcp: { send: null, read: true } }), []);
  t.deepEqual(placesOf({}), []);
});

test('replacing texts leaves the settings that were given', t => {
  t.deepEqual(
    mapTexts(settings, (text, { pointer }) => `${pointer} ${text}`),
    {
      url,
      headers: { 'X/Y': '/headers/X~1Y 1', b: '/headers/b 2' },
      body: '/body 3',
      tcp: { send: '/tcp/send 4', read: false },
    },
  );
  t.deepEqual(settings.headers, { 'X/Y': '1', b: '2' });
});

for (const [pointer, text, code] of [
  ['/headers/b', 'a\r\nb', 'format'],
  ['/headers/b', 'a'.repeat(8193), 'too_long'],
  ['/headers/b', '漢', 'format'],
  ['/headers/b', 'a b', null],
  ['/body', 'ü'.repeat(32_769), 'too_long'],
  ['/body', 'a\r\nb', null],
  ['/tcp/send', 'a'.repeat(1025), 'too_long'],
  ['/tcp/send', 'a\r\n', null],
] as const) {
  test(`${pointer} with ${text.length} characters: ${code ?? 'fits'}`, t => {
    const place = placesOf(settings).find(candidate => candidate.pointer === pointer);
    t.is(place?.rule(text)?.code ?? null, code);
  });
}
