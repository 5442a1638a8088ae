import {
  type Colour,
  declarations,
  pageTokens,
  sizeDeclarations,
  type Theme,
  textSizes,
} from '../../../platform/design/tokens.ts';
import { tones } from '../../../platform/design/tones.ts';
import type { PageSettings } from '../publish/page-model.ts';
import type { Brand } from './brand.ts';
import { componentRules } from './component-rules.ts';
import { frameRules, incidentRules, printRules, screenRules } from './style-rules.ts';

/**
 * The whole style sheet of a page. A page with a fixed theme does not contain the other one; paper is always light and
 * without the brand.
 */
export function styleFor(theme: PageSettings['theme'], brand: Brand | null = null): string {
  const print = `@media print{:root{color-scheme:light;${declarations(pageTokens, 'light')}}${printRules}}`;
  const edge = brand === null ? '' : 'body{border-top:4px solid var(--brand)}';
  const rules = `${toneRules()}${frameRules}${componentRules}${incidentRules}${edge}${screenRules}`;
  return compact(`${coloursFor(theme, brand)}${rules}${print}`);
}

/** By media query, not `light-dark()`: visitors' browsers may be older than that. */
function coloursFor(theme: PageSettings['theme'], brand: Brand | null): string {
  const sizes = sizeDeclarations(textSizes);
  const tokens = brand === null ? pageTokens : { ...pageTokens, ...brandTokens(brand) };
  const of = (each: Theme) => declarations(tokens, each);
  switch (theme) {
    case 'auto':
      return `:root{color-scheme:light dark;${of('light')};${sizes}}
@media (prefers-color-scheme:dark){:root{${of('dark')}}}`;
    case 'light':
      return `:root{color-scheme:light;${of('light')};${sizes}}`;
    case 'dark':
      return `:root{color-scheme:dark;${of('dark')};${sizes}}`;
    default:
      return theme satisfies never;
  }
}

/** The button has the colour itself, and an edge that is visible even where the colour is not. */
function brandTokens({ fill, onFill, link }: Brand): Record<string, Colour> {
  const both = (colour: string): Colour => ({ light: colour, dark: colour });
  return { brand: both(fill), link, button: both(fill), 'on-button': both(onFill), 'button-edge': link };
}

function toneRules(): string {
  return tones
    .map(
      tone => `.t-${tone}{--fill:var(--${tone}-fill);--ink:var(--${tone}-ink);--tint:var(--${tone}-tint)}
.b-${tone}{fill:var(--${tone}-fill);stroke:var(--${tone}-fill)}
.d-${tone} b{color:var(--${tone}-ink)}`,
    )
    .join('');
}

/** Without comments, line ends and indentation. */
function compact(css: string): string {
  return css.replaceAll(/\/\*[^*]*\*\//g, '').replaceAll(/\n */g, '');
}
