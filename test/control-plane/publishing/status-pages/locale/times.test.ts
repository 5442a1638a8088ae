import test from 'ava';
import fc from 'fast-check';
import { type Locale, languageOf } from '#control-plane/publishing/status-pages/locale/language.ts';
import { instant, timesIn } from '#control-plane/publishing/status-pages/locale/times.ts';
import { find, readHtmlFragment } from '#test/support/html.ts';

const english = languageOf('en');
const at = Date.UTC(2026, 10, 21, 14, 5, 59);
const cases: [zone: string, text: string][] = [
  ['UTC', '21 Nov 2026, 14:05 UTC'],
  ['Europe/Berlin', '21 Nov 2026, 15:05 CET'],
  ['America/New_York', '21 Nov 2026, 09:05 EST'],
  ['Asia/Kolkata', '21 Nov 2026, 19:35 GMT+5:30'],
  ['Pacific/Auckland', '22 Nov 2026, 03:05 GMT+13'],
  ['no such zone', '21 Nov 2026, 14:05 UTC'],
];
for (const [zone, text] of cases)
  test(`a time in ${zone} names its zone`, t => {
    t.is(timesIn(zone, english).text(at), text);
    t.is(timesIn(zone, english).html(at).toString(), `<time datetime="2026-11-21T14:05:59.000Z">${text}</time>`);
  });

test('summer and winter have their own names', t => {
  t.is(timesIn('Europe/Berlin', english).text(Date.UTC(2026, 8, 1, 22)), '2 Sept 2026, 00:00 CEST');
});

test('a span says the day once where it is one day of the page', t => {
  const words = (zone: string, to: number) =>
    timesIn(zone, english)
      .span(at, to)
      .toString()
      .replaceAll(/<[^>]+>/g, '');
  t.is(words('UTC', at + 3_600_000), '21 Nov 2026, 14:05 to 15:05 UTC');
  t.is(words('UTC', at + 86_400_000), '21 Nov 2026, 14:05 UTC to 22 Nov 2026, 14:05 UTC');
  t.is(words('Pacific/Auckland', at + 3_600_000), '22 Nov 2026, 03:05 to 04:05 GMT+13');
});

test('a month is that of the page', t => {
  t.is(timesIn('UTC', english).month(Date.UTC(2026, 11, 31, 23)), 'December 2026');
  t.is(timesIn('Europe/Berlin', english).month(Date.UTC(2026, 11, 31, 23)), 'January 2027');
});

const inLanguages: [locale: Locale, time: string, span: string, month: string, day: string][] = [
  ['en', '21 Nov 2026, 15:05 CET', '21 Nov 2026, 15:05 to 16:05 CET', 'November 2026', '5 Sept 2026'],
  ['de', '21. Nov. 2026, 15:05 MEZ', '21. Nov. 2026, 15:05 bis 16:05 MEZ', 'November 2026', '5. Sept. 2026'],
  ['fr', '21 nov. 2026, 15:05 CET', '21 nov. 2026, 15:05 – 16:05 CET', 'Novembre 2026', '5 sept. 2026'],
];
for (const [locale, time, span, month, day] of inLanguages)
  test(`dates are those of the language: ${locale}`, t => {
    const times = timesIn('Europe/Berlin', languageOf(locale));
    const spanText = times
      .span(at, at + 3_600_000)
      .toString()
      .replaceAll(/<[^>]+>/g, '');
    t.deepEqual([times.text(at), spanText, times.month(at), times.day('2026-09-05')], [time, span, month, day]);
    t.is(times.day('2026-09-05'), day);
  });

test('an instant is machine-readable to the millisecond, whatever the zone', t => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4e12 }),
      fc.constantFrom('UTC', 'Asia/Tokyo', 'America/St_Johns'),
      (at, zone) => {
        const [element] = find(readHtmlFragment(timesIn(zone, english).html(at).toString()), 'time');
        t.is(Date.parse(element?.attributes.datetime ?? ''), at);
        t.is(element?.attributes.datetime, instant(at));
        t.is(element?.text, timesIn(zone, english).text(at));
      },
    ),
  );
});

test('both ends of a span are machine-readable', t => {
  const times = timesIn('UTC', english);
  const elements = find(readHtmlFragment(times.span(at, at + 60_000).toString()), 'time');
  t.deepEqual(
    elements.map(({ attributes }) => attributes.datetime),
    [instant(at), instant(at + 60_000)],
  );
});
