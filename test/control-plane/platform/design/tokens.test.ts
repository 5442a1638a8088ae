import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import {
  dashboardTokens,
  declarations,
  pageTokens,
  radii,
  sizeDeclarations,
  spaces,
  textSizes,
  tokenSheet,
} from '#control-plane/platform/design/tokens.ts';
import { tones } from '#control-plane/platform/design/tones.ts';
import { styleSheetsOf } from '#control-plane/web/dashboard/style-sheets.ts';
import { top } from '#test/repository/sources.ts';

const folder = join(top, 'control-plane/web/dashboard/app');
const names = globSync('**/*.css', { cwd: folder }).sort();
const sheets = names.map(name => [name, readFileSync(join(folder, name), 'utf8')] as const);
const sheet = tokenSheet(dashboardTokens);

test('every colour is written as #rrggbb in both themes', t => {
  for (const [name, { light, dark }] of Object.entries(dashboardTokens)) {
    t.regex(light, /^#[0-9a-f]{6}$/, name);
    t.regex(dark, /^#[0-9a-f]{6}$/, name);
  }
});

test('every tone has a fill, an ink and a tint', t => {
  for (const tone of tones) for (const use of ['fill', 'ink', 'tint']) t.truthy(pageTokens[`${tone}-${use}`]);
});

test('declarations are those of one theme', t => {
  const tokens = { page: { light: '#ffffff', dark: '#000000' }, text: { light: '#111111', dark: '#eeeeee' } };
  t.is(declarations(tokens, 'light'), '--page:#ffffff;--text:#111111');
  t.is(declarations(tokens, 'dark'), '--page:#000000;--text:#eeeeee');
  t.is(sizeDeclarations({ 'text-1': '.5rem' }), '--text-1:.5rem');
});

test('spaces are multiples of 0.125rem', t => {
  for (const [name, size] of Object.entries(spaces)) t.is(Number.parseFloat(size) * 8, Number(name.split('-')[1]));
});

test('the sheet follows the colour scheme, and registers colours so that scripts read the one in effect', t => {
  const small = tokenSheet({ page: { light: '#ffffff', dark: '#000000' } });
  t.regex(small, /@property --page \{\s+syntax: "<color>";\s+inherits: true;\s+initial-value: #ffffff;\s+\}/);
  t.regex(small, /@layer tokens \{\s+:root \{\s+color-scheme: light dark;\s+--page: light-dark\(#ffffff, #000000\);/);
  for (const name of Object.keys({ ...textSizes, ...spaces, ...radii })) t.true(small.includes(`--${name}: `), name);
});

/** A number that the cell of a table gives itself. */
const own = '--share';

for (const [name, css] of sheets)
  test(`${name} has its layer, and takes its colours from the tokens only`, t => {
    const layers = name.startsWith('features/') ? 'views' : '(?:base|layout|parts|views)';
    t.regex(css, new RegExp(`^/\\*[^*]+\\*/\\n@layer ${layers} \\{`));
    t.notRegex(css, /#[0-9a-f]{3,8}\b/i);
    // A pattern of the page's own drawing may be named.
    t.notRegex(css, /url\((?!"#)|@import/);
    for (const [, token] of css.matchAll(/var\((--[\w-]+)/g))
      t.true(token === own || sheet.includes(`\n    ${token}: `), `${name}: ${token}`);
  });

test('the bundle has every style sheet, those of features after those around them', async t => {
  const order = await styleSheetsOf(folder);
  t.deepEqual(order.toSorted(), names);
  const first = order.findIndex(name => name.startsWith('features/'));
  t.true(order.slice(first).every(name => name.startsWith('features/')));
  t.true(order.indexOf('features/monitors/monitor.css') < order.indexOf('features/monitors/list/list.css'));
});

test('every token of the dashboard alone is used', t => {
  const plot = readFileSync(join(folder, 'kit/plot/plot.tsx'), 'utf8');
  const used = `${sheets.map(([, css]) => css).join('')}${plot}`;
  const own = Object.keys(dashboardTokens).filter(name => !(name in pageTokens) && !name.startsWith('series-'));
  for (const name of own) t.true(used.includes(`var(--${name})`), name);
  t.regex(used, /series-/);
});
