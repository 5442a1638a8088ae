import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { dateBefore, daysOf, percent, uptimeOf } from '#control-plane/dashboard/app/uptime-days.ts';
import { top } from '#test/repository/sources.ts';

const css = readFileSync(join(top, 'control-plane/dashboard/app/dashboard.css'), 'utf8');
const nowMs = Date.parse('2026-11-21T10:00:00Z');

test('text has the contrast that WCAG AA asks for, in light and in dark', t => {
  const light = coloursOf(css.slice(0, css.indexOf('@media')));
  const dark = { ...light, ...coloursOf(/prefers-color-scheme: dark\) \{([^@]*?)\n\}/.exec(css)?.[1] ?? '') };
  t.not(light.page, dark.page);
  for (const [theme, colours] of Object.entries({ light, dark })) {
    const pairs: [string, string][] = [
      ...['page', 'card', 'quiet-back'].flatMap((back): [string, string][] => [
        ['text', back],
        ['soft', back],
      ]),
      ...['good', 'warn', 'bad', 'unknown', 'info', 'quiet'].flatMap((tone): [string, string][] => [
        [tone, `${tone}-back`],
        [tone, 'card'],
      ]),
      ['accent', 'card'],
      ['accent', 'page'],
      ['on-accent', 'accent'],
    ];
    for (const [front, back] of pairs)
      t.true(
        contrast(colours[front], colours[back]) >= 4.5,
        `${theme}: ${front} on ${back} ${contrast(colours[front], colours[back])}`,
      );
    for (const mark of [
      'field',
      'good-fill',
      'warn-fill',
      'bad-fill',
      'line-1',
      'line-2',
      'line-3',
      'line-4',
      'line-5',
      'line-6',
    ]) {
      const least = mark === 'warn-fill' ? 2.3 : 3;
      t.true(
        contrast(colours[mark], colours.card) >= least,
        `${theme}: ${mark} ${contrast(colours[mark], colours.card)}`,
      );
    }
  }
});

test('a day that was not measured is no day that was up', t => {
  const bucket = (date: string, down: number, degraded = 0, observed = 86_400) => ({
    bucket: date,
    uptime: observed === 0 ? 0 : 1 - down / observed,
    down_seconds: down,
    degraded_seconds: degraded,
    observed_seconds: observed,
    checks: { ok: 1, warn: 0, err: 0 },
    latency_ms: { p50: 1, p95: 1 },
  });
  const days = daysOf(
    [
      bucket('2026-11-17', 3600),
      bucket('2026-11-18', 1),
      bucket('2026-11-19', 0, 5),
      bucket('2026-11-20', 0),
      bucket('2026-11-21', 0, 0, 0),
    ],
    nowMs,
    6,
  );
  t.deepEqual(
    days.map(day => `${day.date} ${day.level}`),
    [
      '2026-11-16 none',
      '2026-11-17 down',
      '2026-11-18 partial',
      '2026-11-19 degraded',
      '2026-11-20 up',
      '2026-11-21 none',
    ],
  );
  t.is(uptimeOf(days), 1 - 3601 / (4 * 86_400));
  t.is(uptimeOf(daysOf([], nowMs)), null);
  t.is(daysOf([], nowMs).length, 90);
  t.is(daysOf([], nowMs)[0]?.date, dateBefore(nowMs, 89));
});

test('uptime is never rounded up to what it was not', t => {
  const cases: [number, string][] = [
    [1, '100 %'],
    [0.9999999, '99.999 %'],
    [0.99995, '99.995 %'],
    [0.9989999, '99.89 %'],
    [0.5, '50.00 %'],
    [0, '0.00 %'],
  ];
  for (const [fraction, text] of cases) t.is(percent(fraction), text);
});

function coloursOf(block: string): Record<string, string> {
  return Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(match => [match[1], match[2]]));
}

/** WCAG 2: relative luminances. */
function contrast(left = '#000000', right = '#000000'): number {
  const [high = 0, low = 0] = [luminance(left), luminance(right)].sort((a, b) => b - a);
  return Math.round(((high + 0.05) / (low + 0.05)) * 100) / 100;
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(place => {
    const part = Number.parseInt(colour.slice(place, place + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
