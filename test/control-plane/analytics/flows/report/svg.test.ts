import test from 'ava';
import fc from 'fast-check';
import type { ReportView, StepView } from '#control-plane/analytics/flows/report/schema.ts';
import { drawFunnel } from '#control-plane/analytics/flows/report/svg.ts';
import { elementsOf, readXml, type XmlElement } from '#test/support/xml.ts';

const stepOf = (step: number, name: string, users: number, first: number): StepView => ({
  step,
  name,
  users,
  from_first: first === 0 ? null : users / first,
  from_previous: null,
});
const report: ReportView = {
  flow_id: 'flow_1',
  version: 1,
  range: { from: '2026-11-02T00:00:00.000Z', to: '2026-11-03T12:30:00.000Z' },
  group_by: 'none',
  steps: [stepOf(1, 'View', 12_000, 12_000), stepOf(2, 'Pay', 3000, 12_000)],
  complete_from: null,
  complete_through: '2026-11-03T12:30:00.000Z',
  source: 'hourly',
  roll_up: { hours: 24, pending: 0 },
  estimated: false,
};
const draw = (title: string, changes: Partial<ReportView> = {}): XmlElement =>
  readXml(drawFunnel(title, { ...report, ...changes }));
const textsOf = (svg: XmlElement) =>
  elementsOf(svg)
    .filter(element => element.name === 'text')
    .map(element => element.text);
const widthsOf = (svg: XmlElement) =>
  elementsOf(svg)
    .filter(element => element.attributes.class === 'bar')
    .map(element => Number(element.attributes.width));

test('a funnel has a title, its range, and per step a name, a count and a bar as wide as its share', t => {
  const svg = draw('Purchase');
  t.is(svg.name, 'svg');
  t.is(svg.attributes['aria-label'], 'Purchase');
  t.deepEqual(textsOf(svg), [
    'Purchase',
    '2 Nov 2026, 00:00 to 3 Nov 2026, 12:30 UTC',
    'All entries',
    '1. View',
    '12,000 · 100.0 %',
    '2. Pay',
    '3,000 · 25.0 %',
  ]);
  t.deepEqual(widthsOf(svg), [672, 168]);
  t.is(svg.attributes.viewBox, `0 0 720 ${svg.attributes.height}`);
});

test('an estimate says so, and a funnel without users has empty bars', t => {
  t.true(textsOf(draw('x', { estimated: true })).some(text => text.endsWith('UTC, estimated within about 1 %')));
  t.deepEqual(widthsOf(draw('x', { steps: [stepOf(1, 'a', 0, 0), stepOf(2, 'b', 0, 0)] })), [0, 0]);
});

test('groups follow in their order: days by their time, releases by name, version or as before the first', t => {
  const { steps } = report;
  const release = { release_id: null, version: null, name: null, released_at: null, steps };
  const labels = textsOf(
    draw('x', {
      buckets: [{ bucket: '2026-11-02T00:00:00.000Z', steps }],
      releases: [release, { ...release, version: '1.0' }, { ...release, version: '2.0', name: 'Faster' }],
    }),
  ).filter((_, index) => index > 1 && (index - 2) % 5 === 0);
  t.deepEqual(labels, ['All entries', '2 Nov 2026', 'Before the first release', '1.0', 'Faster']);
});

test('at most 60 bars are drawn: those of all entries and of the latest groups, and it says what is left out', t => {
  const bucketsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      bucket: new Date(Date.UTC(2026, 0, 1 + index)).toISOString(),
      steps: report.steps,
    }));
  t.is(widthsOf(draw('x', { buckets: bucketsOf(29) })).length, 60);
  t.false(textsOf(draw('x', { buckets: bucketsOf(29) })).some(text => text.endsWith('not shown')));
  const many = draw('x', { buckets: bucketsOf(100) });
  t.is(widthsOf(many).length, 60);
  t.true(textsOf(many).includes('71 earlier groups are not shown'));
  t.true(textsOf(many).includes('10 Apr 2026'));
  t.false(textsOf(many).includes('1 Jan 2026'));
  t.true(textsOf(draw('x', { buckets: bucketsOf(30) })).includes('1 earlier group is not shown'));
  const steps = Array.from({ length: 70 }, (_, index) => stepOf(index + 1, 'a', 1, 1));
  t.is(widthsOf(draw('x', { steps, buckets: bucketsOf(2) })).length, 70);
});

test('hours have their time', t => {
  const buckets = [{ bucket: '2026-11-02T14:00:00.000Z', steps: report.steps }];
  t.true(textsOf(draw('x', { group_by: 'hour', buckets })).includes('2 Nov 2026, 14:00'));
});

test('any text is text of well-formed XML, and a long one is cut to 60 characters', t => {
  const unit = fc.constantFrom('a', '<', '>', '&', '"', "'", '\u0000', '\u001f', '\ufffe', '\ud800', '😀', ']]>', ' ');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 80 }), text => {
      const svg = draw(text, { steps: [stepOf(1, text, 1, 1)] });
      t.deepEqual(
        elementsOf(svg).filter(element => !['svg', 'style', 'text', 'rect'].includes(element.name)),
        [],
      );
      const name = textsOf(svg)[3] ?? '';
      t.true(name.length <= '1. '.length + 60);
      t.is(name.endsWith('…'), text.length > 60);
      t.true((textsOf(svg)[0] ?? '').length <= 60);
    }),
  );
});
