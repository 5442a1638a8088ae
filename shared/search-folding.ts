/**
 * A text as searches compare it, the same in any case: full case folding of each character, so that `STRASSE` finds
 * `Straße` and `οδος` finds `ΟΔΟΣ`. İ and ı are found by i.
 */
export function foldForSearch(text: string): string {
  return text.replaceAll(/[A-Z]+|\P{ASCII}/gu, fold);
}

/** One character, so that nothing beside it counts. Small letters first, as only ß has SS as its capitals, not ẞ. */
function fold(character: string): string {
  return character.toLowerCase().toUpperCase().toLowerCase().replace('i\u0307', 'i');
}
