import { contrastOf, type Hex, parseHex, readableOn, shadeFor } from '../../../platform/design/contrast.ts';
import { type Colour, pageTokens } from '../../../platform/design/tokens.ts';

/** A page's colour and what is derived from it, so that text stays readable whatever the colour is. */
export type Brand = {
  fill: Hex;
  /** Text on the fill: black or white. */
  onFill: Hex;
  /** The shade for links and edges in each theme. */
  link: Colour;
};

const textContrast = 4.5;
const shapeContrast = 3;
const tints = ['ok', 'slow', 'part', 'down', 'work', 'none', 'note'].map(tone => `${tone}-tint`);

/** Null without a colour, and for anything that is not one. */
export function brandOf(colour: string | null): Brand | null {
  const fill = parseHex(colour ?? '');
  if (fill === null) return null;
  return { fill, onFill: readableOn(fill), link: { light: linkIn(fill, 'light'), dark: linkIn(fill, 'dark') } };
}

/** The shade nearest to the colour that can be read on every background of the theme. */
function linkIn(fill: Hex, theme: keyof Colour): Hex {
  const isReadable = (shade: Hex) =>
    ['page', 'surface'].every(name => contrastOf(shade, pageTokens[name]?.[theme] ?? '') >= textContrast) &&
    tints.every(name => contrastOf(shade, pageTokens[name]?.[theme] ?? '') >= shapeContrast);
  return shadeFor(fill, theme === 'light' ? '#000000' : '#ffffff', isReadable);
}
