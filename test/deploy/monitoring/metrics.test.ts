import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { createMetrics } from '#control-plane/http/metrics.ts';

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

test('every alert has a test in which it fires, and is silent at an installation that works', t => {
  const tests = readFileSync('deploy/prometheus/upquorum.tests.yaml', 'utf8')
    .split(/^ {2}- name: /m)
    .slice(1);
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
  const fires = (name: string) => tests.some(text => text.includes(`alertname: ${name}\n        exp_alerts:\n`));
  t.deepEqual(
    alerts.filter(name => !fires(name) || !tests[0]?.includes(`alertname: ${name}, exp_alerts: []`)),
    [],
  );
});

test('the dashboard’s panels have ids and titles of their own', t => {
  for (const part of ['id', 'title'] as const)
    t.is(new Set(dashboard.panels.map(panel => panel[part])).size, dashboard.panels.length);
});
