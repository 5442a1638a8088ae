import test from 'ava';
import { dayText, durationText, timesIn } from '#control-plane/status-pages/render/time.ts';

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
    t.is(timesIn(zone).text(at), text);
    t.is(timesIn(zone).html(at), `<time datetime="2026-11-21T14:05:59.000Z">${text}</time>`);
  });

test('summer and winter have their own names', t => {
  t.is(timesIn('Europe/Berlin').text(Date.UTC(2026, 8, 1, 22)), '2 Sep 2026, 00:00 CEST');
});

test('a span says the day once where it is one day of the page', t => {
  const words = (zone: string, to: number) =>
    timesIn(zone)
      .span(at, to)
      .replaceAll(/<[^>]+>/g, '');
  t.is(words('UTC', at + 3_600_000), '21 Nov 2026, 14:05 to 15:05 UTC');
  t.is(words('UTC', at + 86_400_000), '21 Nov 2026, 14:05 UTC to 22 Nov 2026, 14:05 UTC');
  t.is(words('Pacific/Auckland', at + 3_600_000), '22 Nov 2026, 03:05 to 04:05 GMT+13');
});

test('a month is that of the page', t => {
  t.is(timesIn('UTC').month(Date.UTC(2026, 11, 31, 23)), 'December 2026');
  t.is(timesIn('Europe/Berlin').month(Date.UTC(2026, 11, 31, 23)), 'January 2027');
});

test('days and durations read as people say them', t => {
  t.is(dayText('2026-09-05'), '5 Sep 2026');
  const minute = 60_000;
  const lengths = [0, 999, 59_999, minute, 59 * minute, 60 * minute, 126 * minute, 1440 * minute, 1600 * minute, -5];
  t.deepEqual(lengths.map(durationText), [
    '0 s',
    '0 s',
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '2 h 6 min',
    '1 d',
    '1 d 2 h',
    '0 s',
  ]);
});
