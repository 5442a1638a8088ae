import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { createMetrics } from '#control-plane/platform/http/metrics.ts';
import { monitorFamilies } from '#control-plane/web/monitor-metrics/families.ts';

const rules = readFileSync('deploy/prometheus/upquorum.rules.yaml', 'utf8');
const dashboard = JSON.parse(readFileSync('deploy/grafana/upquorum.json', 'utf8')) as {
  panels: { id: number; title: string; targets: { expr: string }[] }[];
};
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** Metrics that a query names. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/\b(?:upquorum|nodejs|process)_\w+/g)].map(([name]) => name);
}

test('alert rules and dashboard use only metrics and labels that exist', async t => {
  const { registry } = createMetrics();
  const metrics = await registry.getMetricsAsJSON();
  const exist = new Set(
    metrics.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
  const used = namesIn([rules, ...queries].join('\n'));
  t.true(used.length > 20);
  t.deepEqual(
    used.filter(name => !exist.has(name)),
    [],
  );
});

test('Node is watched once, whatever is started in a thread', t => {
  const [one, other] = [createMetrics(), createMetrics()].map(({ registry }) => registry);
  t.not(one, other);
  const lag = one?.getSingleMetric('nodejs_eventloop_lag_p99_seconds');
  t.truthy(lag);
  t.is(other?.getSingleMetric('nodejs_eventloop_lag_p99_seconds'), lag);
});

test('every metric of ours is in the guide to monitoring', async t => {
  const guide = readFileSync('docs/monitoring.md', 'utf8');
  const names = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name);
  t.deepEqual(
    names.filter(name => name.startsWith('upquorum_') && !guide.includes(`\`${name}\``)),
    [],
  );
});

test('every alert leads to a section of the run-book', t => {
  const sections = [...readFileSync('docs/run-book.md', 'utf8').matchAll(/^## (.+)$/gm)].map(
    ([, title = '']) =>
      `#${title
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/ /g, '-')}`,
  );
  const links = [...rules.matchAll(/run_book: (\S+?)(#\S+)$/gm)];
  t.is(links.length, [...rules.matchAll(/- alert:/g)].length);
  for (const [, file = '', section = ''] of links) {
    t.true(existsSync(file));
    t.true(sections.includes(section), section);
  }
});

for (const file of ['upquorum', 'monitors'])
  test(`every alert of ${file} has a test in which it fires, and is silent where all works`, t => {
    const tests = readFileSync(`deploy/prometheus/${file}.tests.yaml`, 'utf8')
      .split(/^ {2}- name: /m)
      .slice(1);
    const text = readFileSync(`deploy/prometheus/${file}.rules.yaml`, 'utf8');
    const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    t.true(alerts.length > 0);
    const fires = (name: string) => tests.some(text => text.includes(`alertname: ${name}\n        exp_alerts:\n`));
    t.deepEqual(
      alerts.filter(name => !fires(name) || !tests[0]?.includes(`alertname: ${name}, exp_alerts: []`)),
      [],
    );
  });

const monitorRules = readFileSync('deploy/prometheus/monitors.rules.yaml', 'utf8');
const monitorDashboard = JSON.parse(readFileSync('deploy/grafana/monitors.json', 'utf8')) as typeof dashboard;

test('alert rules and dashboard of monitors use only metrics of a scrape', t => {
  const families = monitorFamilies({ monitors: [], alerts: [], agents: [], channels: [] }, 0);
  const suffixes: Record<string, string> = { counter: '_total', info: '_info' };
  const exist = new Set(families.map(({ name, type }) => `${name}${suffixes[type] ?? ''}`));
  const queries = monitorDashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  const used = namesIn([monitorRules, ...queries].join('\n'));
  t.true(used.length > 20);
  t.deepEqual(
    used.filter(name => !exist.has(name)),
    [],
  );
});

test('every metric of a scrape is in its guide', t => {
  const guide = readFileSync('docs/metrics.md', 'utf8');
  const families = monitorFamilies({ monitors: [], alerts: [], agents: [], channels: [] }, 0);
  t.deepEqual(
    families.filter(({ name }) => !guide.includes(`| \`${name}`)).map(({ name }) => name),
    [],
  );
});

test('the panels of each dashboard have ids and titles of their own', t => {
  for (const { panels } of [dashboard, monitorDashboard])
    for (const part of ['id', 'title'] as const) t.is(new Set(panels.map(panel => panel[part])).size, panels.length);
});
