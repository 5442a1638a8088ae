import test from 'ava';
import fc from 'fast-check';
import { sampleMessages, sampleValues } from '#control-plane/on-call/channels/types/http/sample.ts';
import { checkTemplate, renderTemplate, TemplateError } from '#control-plane/on-call/channels/types/http/template.ts';
import { templateValues } from '#control-plane/on-call/channels/types/http/template-values.ts';

const json = 'application/json';

test('a template is filled with what fits its content type, and refused if it cannot be', t => {
  const values = { title: 'a"<&b', alert: { n: 1, labels: { x: '"' } } };
  t.is(
    renderTemplate('{"t":"{{title}}","a":{{alert|json}}}', 'application/json', values),
    '{"t":"a\\"<&b","a":{"n":1,"labels":{"x":"\\""}}}',
  );
  t.is(renderTemplate('<t>{{ title }}</t>', 'text/xml', values), '<t>a&quot;&lt;&amp;b</t>');
  t.is(renderTemplate('t={{title}}', 'application/x-www-form-urlencoded', values), 't=a%22%3C%26b');
  t.is(renderTemplate('{{alert.labels.x}}{{alert.none}}', 'text/plain', values), '"');
  for (const template of ['{"t":{{title}}}', '{"t":"{{nothing}}"}', '{"t":"{{title"}', '{"t":"{{#if}}"}'])
    t.throws(() => checkTemplate(template, 'application/json', values), { instanceOf: TemplateError }, template);
});

test('a template with very many large values is filled no further than it may be sent', t => {
  const filled = renderTemplate('{{text}}'.repeat(2000), 'text/plain', { text: 'x'.repeat(10_000) }, 100_000);
  t.is(filled.length, 110_000);
});

test('a value that is absent is null by itself, and empty within a string', t => {
  const template =
    '{"code": {{alert.reason.status_code}}, "why": "{{alert.reason.error_code}}", "in": {{group.cause}}}';
  t.notThrows(() => checkTemplate(template, json, ...sampleValues));
  const alert = { reason: { status_code: null, error_code: null } };
  t.deepEqual(JSON.parse(renderTemplate(template, json, { alert, group: null })), { code: null, why: '', in: null });
  const there = { alert: { reason: { status_code: 503, error_code: 'timeout' } }, group: { cause: { type: 'host' } } };
  const filled = { code: 503, why: 'timeout', in: { type: 'host' } };
  t.deepEqual(JSON.parse(renderTemplate(template, json, there)), filled);
  t.is(renderTemplate('{{alert.reason.status_code}}', 'text/plain', { alert }), '');
});

test('a template that is accepted is JSON for every kind of message, with and without what each may have', t => {
  const paths = [
    ...['step', 'title', 'text', 'alert', 'alert.kind', 'alert.reason', 'alert.reason.status_code', 'alert.quorum'],
    ...['alert.reason.error_code', 'alert.acknowledged_by', 'alert.acknowledged_by.name', 'alert.rules_version'],
    ...['alert.regions', 'alert.regions.0', 'alert.held', 'alert.labels', 'alert.labels.env', 'group', 'group.cause'],
    ...['group.alerts', 'group.cause.value', 'monitor', 'monitor.host', 'links.acknowledge', 'project.name', 'alert.x'],
    ...['alert.labels["a.b"]', "monitor.labels['a.b']"],
  ];
  const holes = fc
    .tuple(fc.constantFrom(...paths), fc.boolean())
    .map(([path, asJson]) => `{{${path}${asJson ? '|json' : ''}}}`);
  const pieces = fc.oneof(
    fc.constantFrom('{', '}', '[', ']', ',', ':', '"', '\\', '1', '-', 'null', 'a', ' ', '"k":', '\\"'),
    holes,
    holes.map(hole => `"${hole}"`),
  );
  const shaped = fc.array(
    fc.oneof(
      holes,
      holes.map(hole => `"x ${hole}"`),
    ),
    { minLength: 1, maxLength: 4 },
  );
  const templates = fc.oneof(
    shaped.map(values => `[${values.join(',')}]`),
    shaped.map(values => `{${values.map((value, index) => `"k${index}":${value}`).join()}}`),
    fc.array(pieces, { maxLength: 8 }).map(parts => parts.join('')),
  );
  let accepted = 0;
  fc.assert(
    fc.property(templates, template => {
      try {
        checkTemplate(template, json, ...sampleValues);
      } catch (error) {
        return error instanceof TemplateError;
      }
      accepted++;
      for (const values of sampleValues) JSON.parse(renderTemplate(template, json, values));
      return true;
    }),
    { numRuns: 500 },
  );
  t.true(accepted > 100, `${accepted}`);
});

test('a backslash before a value is refused: it would escape what the value begins with', t => {
  for (const template of ['"\\{{step}}"{{step|json}}"', '{"a":"\\{{title}}"}'])
    t.throws(() => checkTemplate(template, json, ...sampleValues), { message: /a backslash stands before/ }, template);
  t.notThrows(() => checkTemplate('{"a":"\\\\{{title}}"}', json, ...sampleValues));
});

test('samples have each optional value once, and leave it out once', t => {
  const values = sampleMessages.map(message => templateValues(message).alert as Record<string, unknown> | null);
  t.true(values.includes(null));
  for (const name of Object.keys(values[0] ?? {}))
    t.true(
      values.some(alert => alert?.[name] != null),
      name,
    );
  for (const name of ['region', 'expected', 'actual', 'status_code', 'error_code']) {
    const seen = values.flatMap(alert => (alert === null ? [] : [(alert.reason as Record<string, unknown>)[name]]));
    t.true(seen.includes(null) && seen.some(value => value !== null), name);
  }
});

test('a text without quotes is refused, and one that was stored before is written with them', t => {
  for (const path of [
    'title',
    'alert.reason.actual',
    'alert.reason.error_code',
    'alert.labels.env',
    'monitor.labels["x"]',
  ])
    t.throws(() => checkTemplate(`{"a":{{${path}}}}`, json, ...sampleValues), { message: /needs quotes/ }, path);
  const write = (actual: unknown) => renderTemplate('{"a":{{alert.actual}}}', json, { alert: { actual } });
  t.deepEqual(['503', 'timed "out"', '', '01', null].map(write), [
    '{"a":503}',
    '{"a":"timed \\"out\\""}',
    '{"a":""}',
    '{"a":"01"}',
    '{"a":null}',
  ]);
});

test('a label whose key has dots is named in brackets', t => {
  const values = { alert: { labels: { 'a.b': 'x', a: { b: 'y' }, c: 'z' } } };
  const cases: [template: string, filled: string][] = [
    ['{{alert.labels["a.b"]}}', 'x'],
    ["{{ alert.labels['a.b'] }}", 'x'],
    ['{{alert.labels["a.b"]}}', 'x'],
    ['{{alert.labels.a.b}}', 'y'],
    ['{{alert["labels"]["c"]}}', 'z'],
    ['{{alert.labels["none"]}}', ''],
  ];
  for (const [template, filled] of cases) t.is(renderTemplate(template, 'text/plain', values), filled, template);
  t.throws(() => checkTemplate('{{alert.labels["a.b]}}', 'text/plain', values), { instanceOf: TemplateError });
});

test('JSON within a string is escaped for it', t => {
  const values = { alert: { title: 'a "b"' } };
  const filled = renderTemplate('{"a":"{{alert|json}}"}', json, values);
  t.deepEqual(JSON.parse(JSON.parse(filled).a), values.alert);
});
