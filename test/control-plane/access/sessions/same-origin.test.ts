import test from 'ava';
import { isSameOrigin } from '#control-plane/access/sessions/same-origin.ts';

test('a request counts as another site’s when either header says so, whatever a proxy made of the host', t => {
  const cases: [Record<string, string>, boolean][] = [
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin' }, true],
    [{ 'sec-fetch-site': 'same-site' }, false],
    [{ 'sec-fetch-site': 'cross-site' }, false],
    [{ 'sec-fetch-site': 'none' }, false],
    [{ origin: 'https://up.example' }, true],
    [{ origin: 'https://up.example:443' }, true],
    [{ origin: 'http://up.example' }, false],
    [{ origin: 'https://10.0.0.11:8080' }, false],
    [{ origin: 'https://up.example:8443' }, false],
    [{ origin: 'https://evil.example' }, false],
    [{ origin: 'null' }, false],
    [{ origin: '' }, false],
    [{ 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' }, false],
    [{ 'sec-fetch-site': 'cross-site', origin: 'https://up.example' }, false],
  ];
  for (const host of ['up.example', '10.0.0.11:8080', 'evil.example'])
    for (const [headers, same] of cases)
      t.is(isSameOrigin({ host, ...headers }, 'https://up.example'), same, JSON.stringify({ host, ...headers }));
});

test('an installation on loopback has the names of loopback, at the port that the browser asked', t => {
  const cases: [host: string, origin: string, baseUrl: string, same: boolean][] = [
    ['127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://localhost:8080', true],
    ['localhost:9000', 'http://localhost:9000', 'http://localhost:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', 'http://localhost:8080', true],
    ['localhost:8080', 'http://localhost:3000', 'http://localhost:8080', false],
    ['evil.example:8080', 'http://evil.example:8080', 'http://localhost:8080', false],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080', 'http://up.example', false],
    ['10.1.2.3:8080', 'http://10.1.2.3:8080', 'http://up.example', false],
  ];
  for (const [host, origin, baseUrl, same] of cases)
    t.is(isSameOrigin({ host, origin }, baseUrl), same, `${origin} at ${host} of ${baseUrl}`);
});
