import { pageTokens } from '../../../platform/design/tokens.ts';
import type { Tone } from '../../../platform/design/tones.ts';

/** The colour of a tone on a white page, as `#rrggbb`. */
export function toneColor(tone: Tone): string {
  return (pageTokens[`${tone}-fill`]?.light ?? '#000000').slice(0, 7);
}
