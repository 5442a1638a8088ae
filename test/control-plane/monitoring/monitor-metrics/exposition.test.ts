import test from 'ava';
import { type Family, formatOf, writeMetrics } from '#control-plane/monitoring/monitor-metrics/exposition.ts';

const families: Family[] = [
  { name: 'a_monitor', type: 'info', help: 'Line\n\\', samples: [{ labels: { name: '"x"\\\n' }, value: 1 }] },
  {
    name: 'a_ratio',
    type: 'gauge',
    help: 'Ratio',
    samples: [
      { labels: {}, value: 0.1 },
      { labels: { b: '' }, value: 2 },
    ],
  },
  { name: 'a_none', type: 'gauge', help: 'Nothing', samples: [] },
];

test('in text, an info is a gauge with the name of its samples', async t => {
  t.is(
    await writeMetrics(families, 'text'),
    `# HELP a_monitor_info Line\\n\\\\
# TYPE a_monitor_info gauge
a_monitor_info{name="\\"x\\"\\\\\\n"} 1
# HELP a_ratio Ratio
# TYPE a_ratio gauge
a_ratio 0.1
a_ratio{b=""} 2
`,
  );
});

test('in OpenMetrics it is of type info, and the text has an end', async t => {
  const text = await writeMetrics(families, 'openmetrics');
  t.true(text.startsWith('# HELP a_monitor Line\\n\\\\\n# TYPE a_monitor info\na_monitor_info{name='));
  t.true(text.endsWith('a_ratio{b=""} 2\n# EOF\n'));
  t.is(await writeMetrics([], 'openmetrics'), '# EOF\n');
});

test('other work goes on while a long text is written', async t => {
  const samples = Array.from({ length: 20_000 }, (_, value) => ({ labels: {}, value }));
  let turns = 0;
  const count = () => {
    turns += 1;
    counter = setImmediate(count);
  };
  let counter = setImmediate(count);
  t.teardown(() => clearImmediate(counter));
  const text = await writeMetrics([{ name: 'a', type: 'gauge', help: 'A', samples }], 'text');
  t.is(text.split('\n').length, 20_003);
  t.true(turns >= 19, `${turns} turns`);
});

const prometheus = [
  'application/openmetrics-text;version=1.0.0;q=0.5',
  'application/openmetrics-text;version=0.0.1;q=0.4',
  'text/plain;version=0.0.4;q=0.3',
  '*/*;q=0.2',
].join();
for (const [accept, format] of [
  ['', 'text'],
  ['*/*', 'text'],
  ['text/plain', 'text'],
  ['application/json', 'text'],
  ['application/openmetrics-text', 'openmetrics'],
  ['application/openmetrics-text; version=1.0.0, */*;q=0.1', 'openmetrics'],
  ['application/openmetrics-text;q=0.2, text/plain', 'text'],
  ['application/openmetrics-text;q=0, */*', 'text'],
  [prometheus, 'openmetrics'],
] as const)
  test(`Accept: ${accept.slice(0, 60)} gets ${format}`, t => t.is(formatOf(accept), format));
