import test from 'ava';
import fc from 'fast-check';
import { importBlackbox } from '#deploy/cli/import/blackbox/blackbox.ts';
import { importGatus } from '#deploy/cli/import/gatus/gatus.ts';
import { importHealthchecks } from '#deploy/cli/import/healthchecks/healthchecks.ts';
import { type Imported, type Item, SourceError } from '#deploy/cli/import/imported.ts';
import { importKubernetes } from '#deploy/cli/import/kubernetes/kubernetes.ts';
import { importKuma } from '#deploy/cli/import/kuma/kuma.ts';
import { importStatuspage } from '#deploy/cli/import/statuspage/statuspage.ts';
import { choices, errorsOf } from './documents.ts';

/** Values that stand in files by mistake, or by malice, in place of those that should. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    'https://example.org',
    'a.example:1',
    '1',
    '60',
    '5m',
    '2026-01-01T00:00:00Z',
    '2026-12-01 02:00',
    '[1]',
    '{"a": 1}',
  ),
  fc.constantFrom(
    0,
    1,
    -1,
    1e12,
    true,
    null,
    '',
    '\u0000',
    'x'.repeat(300),
    '${',
    '[STATUS] == 200',
    '* * * * *',
    'UTC',
  ),
);
const objectWith = (
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  others: readonly string[],
): fc.Arbitrary<Item> =>
  fc.record({ ...Object.fromEntries(others.map(name => [name, value])), ...fields }, { requiredKeys: [] });
const listOf = (item: fc.Arbitrary<unknown>) =>
  fc.array(fc.oneof({ weight: 5, arbitrary: item }, value), { maxLength: 4 });

/** Whatever the source holds, it is refused in a sentence or becomes documents that plan. */
function holds(read: (source: Item) => Imported, source: fc.Arbitrary<Item>): void {
  fc.assert(
    fc.property(source, given => {
      try {
        // The exporter itself refuses patterns that do not compile.
        const errors = errorsOf(read(given)).filter(error => !error.includes('must be a regular expression in RE2'));
        if (errors.length > 0) throw new Error(errors.join('\n'));
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
      }
    }),
    { includeErrorInReport: true },
  );
}

test('Gatus', t => {
  const client = objectWith({}, ['insecure', 'timeout', 'network', 'oauth2', 'ignore-redirect']);
  const alert = objectWith({ type: fc.constantFrom('slack', 'email', 'ntfy', 'x') }, [
    'enabled',
    'failure-threshold',
    'success-threshold',
    'minimum-reminder-interval',
    'description',
  ]);
  const window = objectWith({}, ['start', 'duration', 'timezone', 'every', 'enabled']);
  const endpoint = objectWith(
    {
      url: fc.oneof(
        value,
        fc.constantFrom(
          'https://a.example/x',
          'tcp://a.example:25',
          'icmp://a.example',
          'tls://a.example:443',
          'ws://a.example',
          'grpc://a.example:1',
        ),
      ),
      conditions: listOf(
        fc.oneof(
          value,
          fc.constantFrom(
            '[BODY] == pat(*a*)',
            '[STATUS] == any(1, 200)',
            '[RESPONSE_TIME] < 1e9',
            '[CERTIFICATE_EXPIRATION] > 48h',
            'has([BODY].a) == true',
            '[BODY].a == ',
          ),
        ),
      ),
      client,
      alerts: listOf(alert),
      'maintenance-windows': listOf(window),
      dns: fc.option(objectWith({}, ['query-name', 'query-type'])),
    },
    ['name', 'group', 'interval', 'method', 'body', 'headers', 'extra-labels', 'enabled', 'graphql'],
  );
  const provider = objectWith({}, ['webhook-url', 'to', 'topic', 'url', 'token', 'overrides', 'default-alert']);
  const config = objectWith(
    {
      endpoints: listOf(endpoint),
      'external-endpoints': listOf(endpoint),
      alerting: objectWith({ slack: provider, email: provider, ntfy: provider }, ['x']),
      maintenance: window,
    },
    ['ui', 'suites', 'announcements'],
  );
  // JSON is YAML.
  holds(given => importGatus([{ path: 'config.yaml', text: JSON.stringify(given) }], choices), config);
  t.pass();
});

test('Uptime Kuma', t => {
  const monitor = objectWith(
    {
      type: fc.constantFrom(
        'http',
        'keyword',
        'json-query',
        'port',
        'ping',
        'dns',
        'push',
        'grpc-keyword',
        'websocket-upgrade',
        'group',
        'x',
      ),
    },
    (
      'id name active interval url hostname port keyword maxretries ignore_tls upside_down ' +
      'maxredirects accepted_statuscodes_json dns_resolve_type dns_resolve_server retry_interval ' +
      'push_token method body headers basic_auth_user basic_auth_pass proxy_id auth_method ' +
      'grpc_url grpc_metadata resend_interval http_body_encoding parent json_path expected_value ' +
      'timeout conditions ping_count ws_subprotocol ip_family'
    ).split(' '),
  );
  const maintenance = objectWith(
    {
      strategy: fc.constantFrom(
        'single',
        'cron',
        'recurring-weekday',
        'recurring-day-of-month',
        'recurring-interval',
        'manual',
      ),
    },
    (
      'id title description active start_date end_date start_time end_time weekdays days_of_month ' +
      'interval_day cron timezone duration'
    ).split(' '),
  );
  const tables = objectWith(
    {
      monitor: fc.array(monitor, { maxLength: 4 }),
      maintenance: fc.array(maintenance, { maxLength: 3 }),
      monitor_maintenance: fc.array(objectWith({}, ['monitor_id', 'maintenance_id'])),
      notification: fc.array(
        objectWith(
          {
            config: objectWith({ type: fc.constantFrom('slack', 'smtp', 'ntfy') }, [
              'slackwebhookURL',
              'smtpTo',
              'ntfytopic',
              'ntfyserverurl',
            ]),
          },
          ['id', 'name', 'active'],
        ),
      ),
      monitor_notification: fc.array(objectWith({}, ['monitor_id', 'notification_id'])),
      status_page: fc.array(objectWith({}, ['id', 'slug', 'title', 'description', 'theme', 'icon', 'published'])),
      group: fc.array(objectWith({}, ['id', 'status_page_id', 'name', 'weight', 'active'])),
      monitor_group: fc.array(objectWith({}, ['id', 'monitor_id', 'group_id', 'weight'])),
      tag: fc.array(objectWith({}, ['id', 'name'])),
      monitor_tag: fc.array(objectWith({}, ['monitor_id', 'tag_id', 'value'])),
    },
    [],
  );
  const nothing = { version: null, beats: () => [], buckets: () => [] };
  holds(
    given => importKuma({ ...nothing, rows: table => (given[table] as Item[] | undefined) ?? [] }, choices),
    tables,
  );
  t.pass();
});

test('blackbox_exporter and Prometheus', t => {
  const names = (
    'valid_status_codes method headers http_headers body basic_auth authorization bearer_token ' +
    'follow_redirects fail_if_body_not_matches_regexp fail_if_header_matches tls_config ' +
    'preferred_ip_protocol ip_protocol_fallback query_response tls query_name query_type ' +
    'valid_rcodes validate_answer_rrs service metadata http_config'
  ).split(' ');
  const probe = objectWith(
    {
      query_response: listOf(objectWith({}, ['send', 'expect', 'expect_bytes', 'starttls'])),
      tls_config: objectWith({}, ['insecure_skip_verify', 'server_name', 'ca_file']),
    },
    names,
  );
  const module = objectWith(
    {
      prober: fc.constantFrom('http', 'tcp', 'icmp', 'dns', 'grpc', 'websocket', 'unix'),
      http: probe,
      tcp: probe,
      dns: probe,
      icmp: probe,
      grpc: probe,
      websocket: probe,
    },
    ['timeout'],
  );
  const job = objectWith(
    {
      metrics_path: fc.constant('/probe'),
      params: fc.constant({ module: ['m'] }),
      static_configs: listOf(objectWith({ targets: listOf(value) }, ['labels'])),
    },
    ['job_name', 'scrape_interval', 'scrape_timeout', 'relabel_configs', 'file_sd_configs'],
  );
  const source = fc.record({ module, jobs: listOf(job) });
  holds(
    ({ module: given, jobs }) =>
      importBlackbox(
        { path: 'm.yml', text: JSON.stringify({ modules: { m: given } }) },
        { path: 'p.yml', text: JSON.stringify({ scrape_configs: jobs }) },
        () => [],
        choices,
      ),
    source,
  );
  t.pass();
});

test('Kubernetes', t => {
  const names = ['monitor', 'name', 'path', 'interval-seconds', 'status', 'labels', 'scheme'];
  const annotations = objectWith(
    { 'upquorum.io/monitor': fc.constant('true') },
    names.map(name => `upquorum.io/${name}`),
  );
  const rule = objectWith({ host: fc.oneof(value, fc.constant('a.example')) }, ['http', 'matches']);
  const spec = objectWith({ rules: listOf(rule) }, ['hostnames', 'tls']);
  const item = fc.record({
    kind: fc.constantFrom('Ingress', 'HTTPRoute'),
    metadata: objectWith({ annotations }, ['name', 'namespace']),
    spec,
  });
  const list = fc.record({ kind: fc.constant('List'), items: listOf(item) });
  holds(given => importKubernetes({ path: 'x', text: JSON.stringify(given) }, choices), list);
  t.pass();
});

test('Healthchecks and Statuspage', t => {
  const check = objectWith({}, [
    'name',
    'slug',
    'tags',
    'grace',
    'timeout',
    'schedule',
    'tz',
    'methods',
    'status',
    'uuid',
    'ping_url',
  ]);
  const update = objectWith({ status: fc.constantFrom('resolved', 'investigating', 'postmortem') }, [
    'body',
    'created_at',
    'display_at',
  ]);
  const incident = objectWith({ incident_updates: listOf(update) }, [
    'id',
    'name',
    'impact',
    'started_at',
    'scheduled_for',
    'scheduled_until',
    'components',
    'postmortem_body',
  ]);
  const component = objectWith({}, ['id', 'name', 'group', 'group_id', 'position', 'description', 'showcase']);
  holds(
    given => importHealthchecks({ path: 'x', text: JSON.stringify(given) }, choices),
    fc.record({ checks: listOf(check) }),
  );
  holds(
    given => importStatuspage([{ path: 'x', text: JSON.stringify(given) }], choices),
    fc.record({
      page: objectWith({}, ['id', 'name', 'time_zone', 'subdomain']),
      components: listOf(component),
      incidents: listOf(incident),
    }),
  );
  t.pass();
});
