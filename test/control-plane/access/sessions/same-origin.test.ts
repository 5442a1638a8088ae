import test from 'ava';
import { isSameOrigin } from '#control-plane/access/sessions/same-origin.ts';

test('a request counts as another site’s when either header says so', t => {
  const host = 'up.example';
  const cases: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ origin: 'https://up.example' }, true],
    [{ origin: 'http://up.example' }, true],
    [{ origin: 'https://up.example:8443' }, false],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://up.example' }, false],
  ];
  for (const [headers, same] of cases) t.is(isSameOrigin({ host, ...headers }), same, JSON.stringify(headers));
});
