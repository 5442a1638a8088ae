import test from 'ava';
import fc from 'fast-check';
import {
  fill,
  fillHtml,
  type Locale,
  languageOf,
  locales,
} from '#control-plane/publishing/status-pages/locale/language.ts';
import { dayMs, hourMs, minuteMs } from '#shared/duration.ts';

/** Which kind of space stands before a percent sign is a matter of the runtime's data. */
const plain = (text: string) => text.replaceAll(/\s/g, ' ');
const shares: [share: number, en: string, de: string, fr: string][] = [
  [1, '100%', '100 %', '100 %'],
  [0.9999999, '99.99%', '99,99 %', '99,99 %'],
  [0.999, '99.90%', '99,90 %', '99,90 %'],
  [0.29, '29%', '29 %', '29 %'],
  [0.00001, '0%', '0 %', '0 %'],
];
for (const [share, ...texts] of shares)
  test(`a share of ${share} is ${texts[0]}`, t => {
    t.deepEqual(
      locales.map(locale => plain(languageOf(locale).percent(share))),
      texts,
    );
  });

test('a percentage is rounded down, and by less than a hundredth', t => {
  const { percent } = languageOf('en');
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), share => {
      const shown = Number.parseFloat(percent(share));
      t.true(shown <= share * 100 + 1e-6 && shown > share * 100 - 0.01);
      t.is(percent(share) === '100%', share > 1 - 1e-12);
    }),
  );
});

const durations: [ms: number, en: string, de: string, fr: string][] = [
  [-5, 'less than a minute', 'unter einer Minute', 'moins d’une minute'],
  [59_999, 'less than a minute', 'unter einer Minute', 'moins d’une minute'],
  [minuteMs, '1 minute', '1 Minute', '1 minute'],
  [126 * minuteMs, '2 hours 6 minutes', '2 Stunden 6 Minuten', '2 heures 6 minutes'],
  [dayMs, '1 day', '1 Tag', '1 jour'],
  [3 * dayMs + 4 * hourMs, '3 days 4 hours', '3 Tage 4 Stunden', '3 jours 4 heures'],
  [3 * dayMs + 59 * minuteMs, '3 days', '3 Tage', '3 jours'],
  [40 * dayMs + 4 * hourMs, '40 days', '40 Tage', '40 jours'],
];
for (const [ms, ...texts] of durations)
  test(`${ms} ms read: ${texts[0]}`, t => {
    t.deepEqual(
      locales.map(locale => plain(languageOf(locale).duration(ms))),
      texts,
    );
  });

test('a duration is rounded down to its two largest units, and never by more than the smaller one', t => {
  const { shortDuration } = languageOf('en');
  const units: Record<string, number> = { min: minuteMs, hr: hourMs, day: dayMs, days: dayMs };
  fc.assert(
    fc.property(fc.integer({ min: minuteMs, max: 400 * dayMs }), ms => {
      const parts = [...shortDuration(ms).matchAll(/(\d+) (min|hr|days?)\b/g)];
      const shown = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? Number.NaN), 0);
      const smallest = ms < dayMs ? minuteMs : ms < 7 * dayMs ? hourMs : dayMs;
      t.true(shown <= ms && ms - shown < smallest, `${ms}: ${shortDuration(ms)}`);
    }),
  );
});

const counts: [locale: Locale, texts: string[]][] = [
  ['en', ['0 incidents', '1 incident', '2 incidents', '1,200 incidents']],
  ['de', ['0 Vorfälle', '1 Vorfall', '2 Vorfälle', '1.200 Vorfälle']],
  ['fr', ['0 incident', '1 incident', '2 incidents', '1 200 incidents']],
];
for (const [locale, texts] of counts)
  test(`a count has the form of its number: ${locale}`, t => {
    const { count, words } = languageOf(locale);
    t.deepEqual(
      [0, 1, 2, 1200].map(number => plain(count(words.components.incidents, number))),
      texts,
    );
  });

test('holes are filled with text, which is escaped in markup, and an unknown hole stays', t => {
  t.is(fill('a {b} {c}', { b: '{c}', c: 1 }), 'a {c} 1');
  t.is(fill('a {b}', {}), 'a {b}');
  t.is(fillHtml('<i> {b}', { b: '<b>' }).toString(), '&lt;i&gt; &lt;b&gt;');
});
