/**
 * Pieces of secrets in the order of their characters; for each, the position of the longest other one that it begins
 * with, or -1. `firstCodes`: what they begin with.
 */
export type SecretIndex = Readonly<{
  pieces: readonly string[];
  parents: Int32Array;
  firstCodes: ReadonlySet<number>;
  longest: number;
}>;

/** A part of a text; `end` is exclusive. */
export type Span = { start: number; end: number };

/** Longer secrets are cut, since each position of a text may cost a comparison as long as the longest piece. */
const pieceLengthMax = 256;

export function indexSecrets(secrets: readonly string[]): SecretIndex {
  const pieces = [...new Set(secrets.flatMap(piecesOf))].toSorted();
  const parents = new Int32Array(pieces.length).fill(-1);
  for (const [position, piece] of pieces.entries()) {
    let parent = position - 1;
    while (parent >= 0 && !piece.startsWith(pieces[parent] ?? '')) parent = parents[parent] ?? -1;
    parents[position] = parent;
  }
  const longest = pieces.reduce((length, piece) => Math.max(length, piece.length), 0);
  return { pieces, parents, firstCodes: new Set(pieces.map(piece => piece.charCodeAt(0))), longest };
}

/** All have the same length, so that none of them is short enough to be found where the secret is not. */
function piecesOf(secret: string): string[] {
  const count = Math.ceil(secret.length / pieceLengthMax);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.max(0, Math.min(index * pieceLengthMax, secret.length - pieceLengthMax));
    return secret.slice(start, start + pieceLengthMax);
  });
}

/** Where the text has secrets, by their starts. The number of secrets matters by its logarithm only. */
export function spansOf(text: string, index: SecretIndex): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start < text.length; start++) {
    if (!index.firstCodes.has(text.charCodeAt(start))) continue;
    const length = lengthAt(text.slice(start, start + index.longest), index);
    if (length > 0) spans.push({ start, end: start + length });
  }
  return spans;
}

/** Spans that overlap or touch become one. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const { start, end } of spans.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** True if a secret, or a piece of a long one, begins with the text. */
export function isBeginning(text: string, { pieces }: SecretIndex): boolean {
  return pieces[countBelow(pieces, piece => piece < text)]?.startsWith(text) ?? false;
}

/** The length of the longest piece that the text begins with; 0 if there is none. */
function lengthAt(text: string, { pieces, parents }: SecretIndex): number {
  // It is the last one that does not come after the text, or one of its parents.
  let position = countBelow(pieces, piece => piece <= text) - 1;
  const common = commonLength(pieces[position] ?? '', text);
  while (position >= 0 && (pieces[position]?.length ?? 0) > common) position = parents[position] ?? -1;
  return pieces[position]?.length ?? 0;
}

/** How many of the sorted texts are below a bound. */
function countBelow(sorted: readonly string[], isBelow: (text: string) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(sorted[middle] ?? '')) low = middle + 1;
    else high = middle;
  }
  return low;
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length++;
  return length;
}
