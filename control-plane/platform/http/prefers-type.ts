/** How much a client wants a type: its weight, then how exactly it is named, then how early. */
type Wish = [weight: number, exactness: number, earliness: number];

/**
 * True if an `Accept` header (RFC 9110 §12.5.1) asks for one type rather than another. Each is given with the ranges it
 * is in, the most exact first.
 */
export function prefersType(header: string, wanted: readonly string[], other: readonly string[]): boolean {
  const ranges = header.slice(0, 1000).split(',').map(readRange);
  const [first, second] = [wishOf(wanted, ranges), wishOf(other, ranges)];
  const place = first.findIndex((value, index) => value !== second[index]);
  return first[0] > 0 && place >= 0 && (first[place] ?? 0) > (second[place] ?? 0);
}

/** The most exact range that matches decides. */
function wishOf(names: readonly string[], ranges: readonly { type: string; weight: number }[]): Wish {
  for (const [place, name] of names.entries()) {
    const index = ranges.findIndex(range => range.type === name);
    const range = ranges[index];
    if (range !== undefined) return [range.weight, -place, -index];
  }
  return [0, 0, 0];
}

function readRange(text: string): { type: string; weight: number } {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase());
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { type, weight: /^(0|1)(\.\d{0,3})?$/.test(weight) ? Math.min(1, Number(weight)) : 0 };
}
