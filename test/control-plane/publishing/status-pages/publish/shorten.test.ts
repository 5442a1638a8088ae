import test from 'ava';
import fc from 'fast-check';
import { daysThatFit } from '#control-plane/publishing/status-pages/publish/fit-days.ts';
import {
  shortUpdate,
  withinTextBudget,
  withLatestUpdates,
} from '#control-plane/publishing/status-pages/publish/shorten.ts';
import { measured, sampleComponent, sampleIncident, sampleUpdate } from '#test/support/page-model.ts';

const incidentWith = (updates: number, body = 'x') =>
  sampleIncident({
    updates: Array.from({ length: updates }, (_, index) => sampleUpdate({ id: `upd_${index}`, body })),
  });

test('the latest updates stay, and the others are counted', t => {
  const incident = withLatestUpdates({ ...incidentWith(25), earlierUpdates: 5 }, 20);
  t.is(incident.earlierUpdates, 10);
  t.deepEqual([incident.updates[0]?.id, incident.updates.at(-1)?.id], ['upd_5', 'upd_24']);
  const few = incidentWith(3);
  t.is(withLatestUpdates(few, 20), few);
});

test('a short update has the beginning of its words, escaped', t => {
  const short = shortUpdate(sampleUpdate({ body: `<b>**one**\n\n${'two '.repeat(200)}` }));
  t.true(short.isShort);
  t.regex(short.rendered?.html ?? '', /^<p>&lt;b&gt;one<\/p><p>two two .*…<\/p>$/);
  t.true(short.body.length <= 300);
});

test('open incidents share a number of bytes: fewer updates each, then the beginnings of the last', t => {
  const count = (incidents: number, updates: number, body?: string) =>
    withinTextBudget(
      Array.from({ length: incidents }, () => incidentWith(updates, body)),
      100_000,
    );
  t.is(count(1, 25)[0]?.updates.length, 20);
  t.is(count(10, 25)[0]?.updates.length, 10);
  t.is(count(100, 25)[0]?.updates.length, 1);
  const [long] = count(100, 2, 'word '.repeat(1000));
  t.like(long?.updates, [{ isShort: true }]);
  t.is(long?.earlierUpdates, 1);
});

test('all days are shown while they fit, then a round number of the latest ones', t => {
  const components = (count: number, days: number, trouble = 0) =>
    Array.from({ length: count }, (_, index) => measured({ id: `comp_${index}` }, index + 1, days, trouble));
  t.is(daysThatFit(components(90, 90), 1_300_000), 90);
  t.is(daysThatFit(components(300, 365), 1_300_000), 45);
  t.is(daysThatFit(components(300, 365, 1), 1_300_000), 14);
  t.is(daysThatFit([sampleComponent()], 0), 0);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 7, max: 120 }), (count, days) => {
      const shown = daysThatFit(components(count, days), 50_000);
      t.true(shown <= days && shown * count * 90 <= 50_000);
    }),
    { numRuns: 20 },
  );
});
