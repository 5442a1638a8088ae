import test from 'ava';
import { pageTokens, textSizes } from '#control-plane/platform/design/tokens.ts';
import { styleFor } from '#control-plane/publishing/status-pages/render/style.ts';

const themes = ['auto', 'light', 'dark'] as const;

test('a style takes its colours from the tokens only', t => {
  const known = new Set(Object.values(pageTokens).flatMap(({ light, dark }) => [light, dark]));
  for (const theme of themes)
    for (const [colour] of styleFor(theme).matchAll(/#[0-9a-f]{3,8}\b/gi)) t.true(known.has(colour), colour);
});

test('every custom property that a style uses is defined in it', t => {
  for (const theme of themes) {
    const style = styleFor(theme);
    const defined = new Set([...style.matchAll(/(--[\w-]+):/g)].map(match => match[1]));
    for (const [, name] of style.matchAll(/var\((--[\w-]+)\)/g)) t.true(defined.has(name), `${theme}: ${name}`);
    for (const name of Object.keys(textSizes)) t.true(defined.has(`--${name}`), name);
  }
});

test('a fixed theme does not contain the other one, but for paper, which is light', t => {
  t.false(styleFor('light').includes(pageTokens.page?.dark ?? ''));
  t.notRegex(styleFor('light'), /prefers-color-scheme/);
  t.notRegex(styleFor('dark'), /prefers-color-scheme/);
  const [screen = '', print = ''] = styleFor('dark').split('@media print');
  t.false(screen.includes(pageTokens.page?.light ?? ''));
  t.true(print.includes(pageTokens.page?.light ?? ''));
  t.regex(styleFor('auto'), /prefers-color-scheme:dark/);
});

test('a style is compact and loads nothing', t => {
  for (const theme of themes) t.notRegex(styleFor(theme), /url\(|@import|image-set|<|\n|\/\*/);
});

test('braces are balanced', t => {
  for (const theme of themes) {
    const count = (brace: string) => styleFor(theme).split(brace).length;
    t.is(count('{'), count('}'));
  }
});
