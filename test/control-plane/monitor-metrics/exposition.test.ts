import test from 'ava';
import { type Family, formatOf, writeMetrics } from '#control-plane/monitor-metrics/exposition.ts';

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

test('in text, an info is a gauge with the name of its samples', t => {
  t.is(
    writeMetrics(families, 'text'),
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

test('in OpenMetrics it is of type info, and the text has an end', t => {
  const text = writeMetrics(families, 'openmetrics');
  t.true(text.startsWith('# HELP a_monitor Line\\n\\\\\n# TYPE a_monitor info\na_monitor_info{name='));
  t.true(text.endsWith('a_ratio{b=""} 2\n# EOF\n'));
  t.is(writeMetrics([], 'openmetrics'), '# EOF\n');
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
