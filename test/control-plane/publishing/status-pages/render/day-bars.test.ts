import test from 'ava';
import fc from 'fast-check';
import type { Day, DayLevel } from '#control-plane/publishing/status-pages/publish/page-model.ts';
import {
  createDayCache,
  dayBars,
  dayList,
  dayWords,
  sampleBar,
} from '#control-plane/publishing/status-pages/render/day-bars.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';
import { find, readHtmlFragment } from '#test/support/html.ts';
import { sampleDays, sampleView } from '#test/support/page-model.ts';

const view = sampleView();
const levels: DayLevel[] = ['none', 'up', 'degraded', 'partial', 'down'];
const dayOf = (level: DayLevel, changes: Partial<Day> = {}): Day => ({
  date: '2026-11-21',
  level,
  uptime: level === 'none' ? null : 1,
  downMs: 0,
  degradedMs: 0,
  ...changes,
});

const words: [day: Day, text: string][] = [
  [dayOf('none'), 'no data'],
  [dayOf('up'), '100% up'],
  [dayOf('degraded', { degradedMs: 5 * minuteMs }), '100% up, 5 min degraded'],
  [dayOf('partial', { uptime: 0.9931, downMs: 10 * minuteMs }), '99.31% up, 10 min down'],
  [
    dayOf('down', { uptime: 0.5, downMs: 12 * hourMs, degradedMs: 61 * minuteMs }),
    '50% up, 12 hr down, 1 hr 1 min degraded',
  ],
  [dayOf('down', { uptime: 0, downMs: dayMs }), '0% up, 1 day down'],
  [dayOf('partial', { uptime: 0.9999, downMs: 1 }), '99.99% up, less than a minute down'],
  [dayOf('up', { uptime: null }), 'no incidents'],
  [dayOf('degraded', { uptime: null, degradedMs: hourMs }), 'Degraded performance, 1 hr'],
  [dayOf('down', { uptime: null, downMs: hourMs, degradedMs: hourMs }), 'Major outage, 2 hr'],
  [dayOf('partial', { uptime: null }), 'Partial outage'],
];
for (const [day, text] of words)
  test(`a day reads: ${text}`, t => {
    t.is(dayWords(day, view.language), text);
  });

const listOf = (days: readonly Day[], cache = createDayCache()) =>
  find(readHtmlFragment(dayList(days, cache, view).toString()), 'li');

test('the list has every day, latest first, and marks those that were not up', t => {
  const days = levels.map((level, index) => dayOf(level, { date: `2026-11-1${index}` }));
  const items = listOf(days);
  t.deepEqual(
    items.map(({ text }) => text.slice(0, 11)),
    ['14 Nov 2026', '13 Nov 2026', '12 Nov 2026', '11 Nov 2026', '10 Nov 2026'],
  );
  t.deepEqual(
    items.map(({ attributes }) => attributes.class),
    ['d-down', 'd-part', 'd-slow', undefined, 'd-none'],
  );
});

test('uneventful days in a row are one item; eventful ones have their own', t => {
  const dated = (level: DayLevel, day: number, changes: Partial<Day> = {}) =>
    dayOf(level, { date: `2026-11-${String(day).padStart(2, '0')}`, ...changes });
  const outage = { uptime: 0.99, downMs: 15 * minuteMs };
  const days = [
    ...[1, 2, 3].map(day => dated('none', day)),
    ...[4, 5, 6, 7].map(day => dated('up', day)),
    dated('partial', 8, outage),
    dated('partial', 9, outage),
    dated('up', 10),
  ];
  t.deepEqual(
    listOf(days).map(({ text }) => text.replaceAll(/\s/g, ' ')),
    [
      '10 Nov 2026 100% up',
      '9 Nov 2026 99% up, 15 min down',
      '8 Nov 2026 99% up, 15 min down',
      '4 – 7 Nov 2026 100% up',
      '1 – 3 Nov 2026 no data',
    ],
  );
});

test('the list says of each day what its own words are', t => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 99 }), (count, seed) => {
      const days = sampleDays(count, seed, 0.2);
      const items = listOf(days);
      t.true(items.length <= count);
      const said = items.toReversed().flatMap(({ text }) => {
        const covered = days.filter(({ date }) => text.startsWith(`${view.times.day(date)} `));
        const run = runs(days).find(([from, to]) => text.startsWith(`${view.times.days(from, to)} `));
        const [from, to] = run ?? [covered[0]?.date ?? '', covered[0]?.date ?? ''];
        return days.filter(({ date }) => date >= from && date <= to).map(({ date }) => `${date} ${lastWords(text)}`);
      });
      t.deepEqual(
        said,
        days.map(day => `${day.date} ${lastWords(`x ${dayWords(day, view.language)}`)}`),
      );
    }),
    { numRuns: 30 },
  );
});

/** All ranges of two or more days. */
function runs(days: readonly Day[]): [from: string, to: string][] {
  return days.flatMap((from, index) => days.slice(index + 1).map(({ date }): [string, string] => [from.date, date]));
}

function lastWords(text: string): string {
  return /(no data|no incidents|[\d.]+% up.*)$/.exec(text)?.[0] ?? text;
}

/** Left edges and vertical extents of the bars in path data such as `M3 10v20`. */
const barsIn = (path: string) => [...path.matchAll(/M([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);

test('every day has a bar, from left to right, within the picture', t => {
  fc.assert(
    fc.property(fc.integer({ min: 7, max: 365 }), fc.integer({ min: 1, max: 99 }), (count, seed) => {
      const markup = dayBars(sampleDays(count, seed, 0.5), createDayCache(), view).toString();
      const html = readHtmlFragment(markup);
      const width = Number(find(html, 'svg')[0]?.attributes.viewBox?.split(' ')[2]);
      const paths = find(html, 'path').map(({ attributes }) => attributes.d ?? '');
      const lefts = new Set(paths.flatMap(barsIn).map(([left]) => left));
      t.is(lefts.size, count);
      for (const left of lefts) t.true((left ?? -1) > 0 && (left ?? width) < width);
      t.notRegex(markup, /NaN|undefined|Infinity/);
    }),
    { numRuns: 60 },
  );
});

test('only days with downtime or warnings have a title, which says the same as the list', t => {
  const days = sampleDays(90, 5, 0.3);
  const titles = find(readHtmlFragment(dayBars(days, createDayCache(), view).toString()), 'title').map(
    ({ text }) => text,
  );
  const eventful = days.filter(({ level }) => level !== 'up' && level !== 'none');
  t.is(titles.length, eventful.length);
  for (const [index, day] of eventful.entries()) t.true(titles[index]?.endsWith(`: ${dayWords(day, view.language)}`));
});

test('bars of different levels differ in shape, and a worse day is never shorter', t => {
  const heightOf = (level: DayLevel) => {
    const markup = sampleBar(level).toString();
    const extents = [...markup.matchAll(/M[\d.]+ ([\d.]+)v([\d.]+)/g)].map(([, top, height]) => [
      Number(top),
      Number(top) + Number(height),
    ]);
    return Math.max(...extents.map(([, bottom]) => bottom ?? 0)) - Math.min(...extents.map(([top]) => top ?? 0));
  };
  const shapes = levels.map(level => /d="([^"]+)"/.exec(sampleBar(level).toString())?.[1]);
  t.is(new Set(shapes).size, levels.length);
  const heights = levels.map(heightOf);
  t.deepEqual(
    heights,
    heights.toSorted((left, right) => left - right),
  );
});

test('a cache changes nothing but the speed', t => {
  const shared = createDayCache();
  for (const [count, seed] of [
    [90, 1],
    [90, 2],
    [7, 3],
    [90, 1],
  ] as const) {
    const days = sampleDays(count, seed, 0.2);
    t.is(dayBars(days, shared, view).toString(), dayBars(days, createDayCache(), view).toString());
    t.is(dayList(days, shared, view).toString(), dayList(days, createDayCache(), view).toString());
  }
});

test('a day with full uptime but a warning is not taken for a perfect one of the same date', t => {
  const cache = createDayCache();
  const perfect = listOf([dayOf('up')], cache);
  const warned = listOf([dayOf('up', { degradedMs: minuteMs })], cache);
  t.is(perfect[0]?.text, '21 Nov 2026 100% up');
  t.is(warned[0]?.text, '21 Nov 2026 100% up, 1 min degraded');
});
