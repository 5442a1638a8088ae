import test from 'ava';
import fc from 'fast-check';
import { renderMarkdown } from '#control-plane/platform/markup/markdown.ts';
import { draftPromotion } from '#control-plane/publishing/incidents/promotion.ts';
import { errorCodes } from '#shared/check-result.ts';
import { severities } from '#shared/vocabulary.ts';

type Alert = Parameters<typeof draftPromotion>[0];

const reason = { summary: 's', region: 'eu', expected: null, actual: null, status_code: null, error_code: null };

function alert(changes: Partial<Alert> = {}): Alert {
  return {
    kind: 'down',
    regions_failing: ['eu', 'us'],
    regions: ['eu', 'us', 'ap'],
    reason,
    started_at: Date.UTC(2026, 10, 20, 12, 0, 5, 678),
    resolved_at: null,
    ...changes,
  };
}

const bodyOf = (changes: Partial<Alert> = {}, name = 'API') =>
  draftPromotion(alert(changes), name, 'p2').initialUpdate.body;
const failing = (failure: string) =>
  'Checks of **API** have been failing in 2 of 3 regions since 2026-11-20 12:00:05 UTC: ' +
  `${failure}. We are investigating.`;

const failures: Record<(typeof errorCodes)[number], string> = {
  dns_failure: 'the host name could not be resolved',
  connect_refused: 'the connection was refused',
  connect_timeout: 'the connection timed out',
  connection_reset: 'the connection was closed unexpectedly',
  tls_error: 'a secure connection could not be established',
  timeout: 'the server did not respond in time',
  too_many_redirects: 'there were too many redirects',
  body_too_large: 'the response was too large',
  blocked_address: 'the checks are not allowed to reach its address',
  no_record: 'the name server did not give the expected record',
  no_reply: 'there was no reply',
  heartbeat_missed: 'an expected signal did not come',
  heartbeat_failed: 'a job reported a failure',
  run_too_long: 'a job ran too long',
  not_registered: 'the domain is not registered',
  domain_expired: 'the domain is not registered',
  lookup_failed: 'the registry of the domain could not be asked',
  starttls_refused: 'a secure connection was refused',
  not_serving: 'the service said that it is not serving',
  extract_failed: 'the answer lacked an expected value',
  proxy_failed: 'the way to it failed',
  auth_failed: 'signing in failed',
  protocol_error: 'the response was not valid',
};
for (const code of errorCodes)
  test(`${code} is published as: ${failures[code]}`, t =>
    t.is(bodyOf({ reason: { ...reason, error_code: code } }), failing(failures[code])));

const others: [errorCode: string | null, statusCode: number | null, text: string][] = [
  [null, null, 'the response was not as expected'],
  ['a_code_of_the_future', null, 'the response was not as expected'],
  ['constructor', null, 'the response was not as expected'],
  [null, 503, 'the server responded with HTTP status 503'],
  [null, 400, 'the server responded with HTTP status 400'],
  [null, 399, 'the server responded with HTTP status 399, but not as expected'],
  [null, 200, 'the server responded with HTTP status 200, but not as expected'],
  ['timeout', 200, 'the server did not respond in time'],
];
for (const [error_code, status_code, text] of others)
  test(`error code ${error_code} and status ${status_code} are published as: ${text}`, t =>
    t.is(bodyOf({ reason: { ...reason, error_code, status_code } }), failing(text)));

test('an alert that is resolved already is published with its end', t => {
  t.is(
    bodyOf({ resolved_at: Date.UTC(2026, 10, 20, 12, 30), reason: { ...reason, status_code: 500 } }),
    'Checks of **API** failed in 2 of 3 regions from 2026-11-20 12:00:05 UTC to 2026-11-20 12:30:00 UTC: the server ' +
      'responded with HTTP status 500. They have passed since then. We are investigating.',
  );
});

test('a monitor with one region has no plural', t => {
  t.true(bodyOf({ regions: ['eu'], regions_failing: ['eu'] }).includes('failing in 1 of 1 region since'));
});

test('the title fits an incident, and the impact follows from the severity', t => {
  t.is(draftPromotion(alert(), 'API', 'p1').title, 'API is down');
  t.is(draftPromotion(alert({ kind: 'degraded' }), 'API', 'p1').title, 'API is degraded');
  const certificate = draftPromotion(alert({ kind: 'certificate' }), 'A*PI', 'p1');
  t.is(certificate.title, 'The certificate of A*PI expires soon');
  t.is(draftPromotion(alert({ kind: 'domain' }), 'API', 'p1').title, 'The domain of API expires soon');
  t.is(certificate.initialUpdate.body, 'The certificate of **A\\*PI** expires soon. We are renewing it.');
  t.is(draftPromotion(alert(), 'x'.repeat(300), 'p1').title, 'x'.repeat(255));
  t.deepEqual(
    severities.map(severity => draftPromotion(alert(), 'API', severity).impact),
    ['major', 'partial', 'degraded'],
  );
});

// Letters alone could be part of any sentence; a mark and digits cannot.
const secret = fc.stringMatching(/^§[0-9]{6}[a-z]{0,10}$/);

test('no query string, credential, header or body becomes public, whatever the alert holds of them', t => {
  fc.assert(
    fc.property(
      fc.record({
        error_code: fc.option(fc.constantFrom(...errorCodes)),
        status_code: fc.option(fc.integer({ min: 100, max: 599 })),
        query: secret,
        credentials: secret,
        header: secret,
        body: secret,
        resolved: fc.boolean(),
      }),
      ({ error_code, status_code, query, credentials, header, body, resolved }) => {
        const published = draftPromotion(
          alert({
            resolved_at: resolved ? Date.UTC(2026, 10, 20, 13) : null,
            reason: {
              summary: `expected body contains "${body}", got https://user:${credentials}@example.com/?key=${query}`,
              region: 'eu',
              expected: `header x-token is ${header}`,
              actual: `<html>${body}`,
              status_code,
              error_code,
            } as Alert['reason'],
          }),
          'API',
          'p1',
        );
        const text = JSON.stringify(published);
        return [query, credentials, header, body, 'example.com'].every(value => !text.includes(value));
      },
    ),
  );
  t.pass();
});

const publishedName = (name: string) =>
  /^<p>Checks of <strong>(.*)<\/strong> have been failing in /.exec(String(renderMarkdown(bodyOf({}, name))))?.[1];
const shown = (name: string) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const markup = [
  ...['[x](http://evil)', '![x](//evil)', '<http://evil>', '<a@evil.example>', 'http://evil.example', 'MAILTO:a@b.c'],
  ...['&amp;', '&#35;', '`code`', '~~gone~~', '*x*', '_x_', '__x__', 'C:\\*', 'a\\', '\\', '*', '_', '<b>x</b>'],
];
for (const name of markup)
  test(`a monitor is published by its name: ${name}`, t => t.is(publishedName(name), shown(name)));

test('a monitor’s name is published as text, whatever Markdown it contains', t => {
  const part = fc.oneof(
    fc.constantFrom(
      ...'[]()<>*_`~#!|\\&@:/.;x0 -+é’😀',
      '://',
      'http:',
      'mailto:',
      '&lt;',
      'a.b',
      '](',
      '~~',
      '__',
      '**',
    ),
    fc.constantFrom(...markup),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), parts => {
      const name = parts.join('').trim() || 'x';
      t.is(publishedName(name), shown(name));
    }),
  );
});

const ordinary = [
  ...[
    'api.example.com (EU-West)',
    '#1 API!',
    '1. Checkout',
    '- x',
    'R&D + Ops',
    'ops@example.com: login',
    'a_b_c',
    '~5 s',
  ],
  ...['p95 < 200 ms', 'API [EU]', '{id}', 'a | b', 'C:\\checks', 'localhost:8080/health?a=1&b=2', 'Zürich – Straße’s'],
];
for (const name of ordinary)
  test(`an ordinary name is published as it is: ${name}`, t => {
    t.true(bodyOf({}, name).startsWith(`Checks of **${name}** have`));
    t.is(publishedName(name), shown(name));
  });
