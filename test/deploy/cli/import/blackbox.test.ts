import test from 'ava';
import { stringify } from 'yaml';
import { importBlackbox } from '#deploy/cli/import/blackbox/blackbox.ts';
import { type Item, SourceError } from '#deploy/cli/import/imported.ts';
import { choices, errorsOf, reported, resource } from './documents.ts';

// Written after prometheus/blackbox_exporter `example.yml`, `config/testdata/blackbox-good.yml`, README and
// CONFIGURATION.md, and prometheus-operator/kube-prometheus `manifests/blackboxExporter-configuration.yaml`.

const usual = [
  { source_labels: ['__address__'], target_label: '__param_target' },
  { source_labels: ['__param_target'], target_label: 'instance' },
  { target_label: '__address__', replacement: '127.0.0.1:9115' },
];
const job = (given: Item) => ({ job_name: 'blackbox', metrics_path: '/probe', relabel_configs: usual, ...given });

function read(modules: Item, jobs: readonly Item[], files: Record<string, string> = {}) {
  const prometheus = {
    path: 'prometheus.yml',
    text: stringify({ global: { scrape_interval: '15s' }, scrape_configs: jobs }),
  };
  return importBlackbox(
    { path: 'blackbox.yml', text: stringify({ modules }) },
    prometheus,
    pattern => {
      const text = files[pattern];
      return text === undefined ? [] : [{ path: pattern, text }];
    },
    choices,
  );
}

/** What one module makes of one target. */
function monitorOf(module: Item, target: string) {
  const imported = read({ m: module }, [job({ params: { module: ['m'] }, static_configs: [{ targets: [target] }] })]);
  return { imported, errors: errorsOf(imported), monitor: (imported.document.monitors as Item[] | undefined)?.[0] };
}

const cases: [string, Item, string, Item | null][] = [
  [
    'http',
    {
      prober: 'http',
      timeout: '5s',
      http: {
        valid_status_codes: [200, 204],
        method: 'POST',
        body: '{}',
        headers: { Host: 'vhost.example.com', Origin: 'example.com', 'X-Key': 'very-secret' },
        fail_if_body_matches_regexp: ['Could not connect'],
        fail_if_body_not_matches_regexp: ['Download'],
        fail_if_header_matches: [{ header: 'Set-Cookie', allow_missing: true, regexp: '.*' }],
        fail_if_header_not_matches: [{ header: 'Access-Control-Allow-Origin', regexp: '(\\*|example\\.com)' }],
        follow_redirects: false,
        basic_auth: { username: 'me', password: 'very-secret' },
        tls_config: { insecure_skip_verify: true },
        preferred_ip_protocol: 'ip4',
        ip_protocol_fallback: false,
      },
    },
    'https://example.org/',
    {
      method: 'POST',
      timeout_ms: 5000,
      interval_seconds: 15,
      follow_redirects: false,
      egress: { verify: false, ip_family: 'ipv4' },
      auth: { type: 'basic', username: 'me' },
      assertions: [
        { type: 'status', operator: 'in', value: [200, 204] },
        { type: 'body_contains', operator: 'not_matches', value: 'Could not connect' },
        { type: 'body_contains', operator: 'matches', value: 'Download' },
        { type: 'header', name: 'Set-Cookie', operator: 'not_matches', value: '.*' },
        { type: 'header', name: 'Access-Control-Allow-Origin', operator: 'matches', value: '(\\*|example\\.com)' },
      ],
    },
  ],
  [
    'http without a scheme',
    { prober: 'http' },
    'example.org/health',
    { url: 'http://example.org/health', timeout_ms: 10_000 },
  ],
  [
    'a proxy',
    { prober: 'http', http: { proxy_url: 'http://127.0.0.1:3128' } },
    'https://example.org',
    { egress: { proxy: { url: 'http://127.0.0.1:3128' } } },
  ],
  ['tcp', { prober: 'tcp' }, 'example.org:22', { url: 'tcp://example.org:22' }],
  [
    'a banner',
    { prober: 'tcp', tcp: { query_response: [{ expect: '^SSH-2.0-' }] } },
    'example.org:22',
    { tcp: { read: true }, assertions: [{ type: 'body_contains', operator: 'matches', value: '(?m)^SSH-2.0-' }] },
  ],
  ['tls', { prober: 'tcp', tcp: { tls: true } }, 'example.org:443', { url: 'tls://example.org:443' }],
  [
    'smtp',
    { prober: 'tcp', tcp: { query_response: [{ expect: '^220' }, { send: 'EHLO prober' }, { starttls: true }] } },
    'mail.example.org:25',
    { url: 'tls://mail.example.org:25', tls: { starttls: 'smtp' } },
  ],
  [
    'a dialogue',
    { prober: 'tcp', tcp: { query_response: [{ send: 'NICK' }, { send: 'USER' }] } },
    'irc.example.org:6667',
    null,
  ],
  [
    'dns',
    {
      prober: 'dns',
      dns: {
        query_name: 'www.example.org',
        query_type: 'A',
        transport_protocol: 'tcp',
        validate_answer_rrs: { fail_if_matches_regexp: ['127\\.0'], fail_if_none_matches_regexp: ['^192'] },
      },
    },
    '8.8.8.8',
    {
      url: 'dns://8.8.8.8/www.example.org?type=A',
      dns: { transport: 'tcp' },
      assertions: [
        { type: 'dns_rcode', operator: 'in', value: ['NOERROR'] },
        { type: 'dns_record', operator: 'not_matches', value: '127\\.0' },
        { type: 'dns_record', operator: 'matches', value: '^192' },
      ],
    },
  ],
  ['dns of type ANY', { prober: 'dns', dns: { query_name: 'example.org' } }, '8.8.8.8', null],
  [
    'icmp',
    { prober: 'icmp', timeout: '1s' },
    '192.0.2.1',
    { url: 'ping://192.0.2.1', ping: { count: 1 }, interval_seconds: 20 },
  ],
  [
    'grpc',
    { prober: 'grpc', grpc: { service: 'example', tls: true, metadata: { authorization: ['Bearer very-secret'] } } },
    'rpc.example.org:443',
    { url: 'grpcs://rpc.example.org:443', grpc: { service: 'example' } },
  ],
  [
    'websocket',
    {
      prober: 'websocket',
      websocket: {
        http_config: { authorization: { credentials: 'very-secret' } },
        query_response: [{ send: 'hi' }, { expect: '^Welcome' }],
      },
    },
    'wss://example.org/feed',
    { url: 'wss://example.org/feed', auth: { type: 'bearer' }, websocket: { read: true } },
  ],
  ['a unix socket', { prober: 'unix' }, '/run/x.sock', null],
];

for (const [title, module, target, expected] of cases)
  test(`a target of the prober ${title}`, t => {
    const { imported, errors, monitor } = monitorOf(module, target);
    t.deepEqual(errors, []);
    if (expected === null) {
      t.is(monitor, undefined);
      t.is(reported(imported, 'target', target)?.outcome, 'left_out');
    } else t.like(monitor, expected);
    t.false(JSON.stringify([imported.document, imported.items]).includes('very-secret'));
  });

test('jobs, their labels, files beside them and modules are all in the report', t => {
  const imported = read(
    { http_2xx: { prober: 'http' }, tcp_connect: { prober: 'tcp' }, unused: { prober: 'icmp' } },
    [
      job({
        params: { module: ['http_2xx'] },
        static_configs: [{ targets: ['https://a.example.org'], labels: { Env: 'prod', __module: 'tcp_connect' } }],
        relabel_configs: [...usual, { source_labels: ['x'], target_label: 'y' }],
      }),
      job({
        job_name: 'files',
        file_sd_configs: [{ files: ['targets.json', 'none.yml'] }],
        relabel_configs: [...usual, { source_labels: ['__module'], target_label: '__param_module' }],
      }),
      job({ job_name: 'found', dns_sd_configs: [{ names: ['example.org'] }] }),
      { job_name: 'node', static_configs: [{ targets: ['127.0.0.1:9100'] }] },
    ],
    { 'targets.json': '[{"targets": ["db.example.org:5432"], "labels": {"__module": "tcp_connect", "team": "data"}}]' },
  );
  t.deepEqual(errorsOf(imported), []);
  t.like(resource(imported, 'monitors', 'blackbox-a-example-org'), { labels: { job: 'blackbox', env: 'prod' } });
  t.like(resource(imported, 'monitors', 'files-db-example-org-5432'), {
    url: 'tcp://db.example.org:5432',
    labels: { team: 'data' },
  });
  t.like(reported(imported, 'job', 'blackbox'), { outcome: 'changed', details: [{ field: 'relabel_configs' }] });
  t.like(reported(imported, 'job', 'files'), { details: [{ field: 'file_sd_configs', was: 'none.yml' }] });
  for (const [type, name] of [
    ['job', 'found'],
    ['job', 'node'],
    ['module', 'unused'],
  ] as const)
    t.is(reported(imported, type, name)?.outcome, 'left_out', name);
});

test('a ConfigMap of modules and probes of the operator are read as well', t => {
  const modules = stringify({
    kind: 'ConfigMap',
    data: { 'config.yml': stringify({ modules: { http_2xx: { prober: 'http' } } }) },
  });
  const probe = {
    kind: 'Probe',
    metadata: { name: 'site', namespace: 'monitoring' },
    spec: {
      interval: '30s',
      module: 'http_2xx',
      targets: { staticConfig: { static: ['https://example.org'], labels: { env: 'prod' } } },
    },
  };
  const text = `${stringify(probe)}---\n${stringify({ kind: 'Service' })}`;
  const imported = importBlackbox({ path: 'm.yml', text: modules }, { path: 'p.yml', text }, () => [], choices);
  t.deepEqual(errorsOf(imported), []);
  t.like((imported.document.monitors as Item[])[0], { interval_seconds: 30, labels: { job: 'site', env: 'prod' } });
});

test('other files are refused in a sentence', t => {
  const [good, bad] = [
    { path: 'a.yml', text: 'modules: {m: {prober: http}}' },
    { path: 'b.yml', text: 'x: 1' },
  ];
  t.throws(() => importBlackbox(bad, good, () => [], choices), { instanceOf: SourceError, message: /has no modules/ });
  t.throws(() => importBlackbox(good, bad, () => [], choices), { instanceOf: SourceError, message: /has no job/ });
});
