/** No secret is shorter: "1" or "json" are none, and redacting them would make results unreadable. */
export const secretLengthMin = 6;
/** Shorter beginnings of a secret may be left where a text was cut. */
const beginningLengthMin = 3;

/**
 * Pieces of secrets in the order of their characters, as one text: a string for each would take several times as
 * much. `parents`: for each, the position of the longest other one that it begins with, or -1. `filter`: a bit for the
 * hash of each beginning, by which most positions of a text are ruled out.
 */
export type SecretIndex = Readonly<{
  text: string;
  /** Where each piece starts in the text, and where the last one ends. */
  starts: Uint32Array;
  parents: Int32Array;
  filter: Uint8Array;
  longest: number;
  /** What the index takes of memory, at most. */
  bytes: number;
}>;

/** A part of a text; `end` is exclusive. */
export type Span = { start: number; end: number };

/** Longer secrets are cut, since each position of a text may cost a comparison as long as the longest piece. */
const pieceLengthMax = 256;
/** With two hashes for each piece, at most one other beginning of twelve passes the filter. */
const filterBytesPerPiece = 3;
/** What the objects of an index take, empty. */
const emptyBytes = 512;

export function indexSecrets(secrets: readonly string[]): SecretIndex {
  const pieces = [...new Set(secrets.flatMap(piecesOf))].toSorted();
  const text = pieces.join('');
  const parents = parentsOf(pieces);
  const filter = filterOf(pieces);
  return {
    text,
    starts: startsOf(pieces),
    parents,
    filter,
    longest: pieces.reduce((length, piece) => Math.max(length, piece.length), 0),
    bytes: emptyBytes + text.length * 2 + parents.length * 8 + filter.length,
  };
}

/** All have the same length, so that none of them is short enough to be found where the secret is not. */
function piecesOf(secret: string): string[] {
  const count = Math.ceil(secret.length / pieceLengthMax);
  return Array.from({ length: count }, (_, index) => {
    const start = Math.max(0, Math.min(index * pieceLengthMax, secret.length - pieceLengthMax));
    return secret.slice(start, start + pieceLengthMax);
  });
}

function startsOf(pieces: readonly string[]): Uint32Array {
  const starts = new Uint32Array(pieces.length + 1);
  for (const [position, piece] of pieces.entries()) starts[position + 1] = (starts[position] ?? 0) + piece.length;
  return starts;
}

function parentsOf(pieces: readonly string[]): Int32Array {
  const parents = new Int32Array(pieces.length).fill(-1);
  for (const [position, piece] of pieces.entries()) {
    let parent = position - 1;
    while (parent >= 0 && !piece.startsWith(pieces[parent] ?? '')) parent = parents[parent] ?? -1;
    parents[position] = parent;
  }
  return parents;
}

/** Its size is a power of two, so that a hash is brought into it by its last bits. */
function filterOf(pieces: readonly string[]): Uint8Array {
  const filter = new Uint8Array(2 ** Math.ceil(Math.log2(Math.max(1, pieces.length * filterBytesPerPiece))));
  for (const piece of pieces)
    for (const length of [beginningLengthMin, secretLengthMin]) {
      const hash = hashOf(piece, 0, length);
      const at = (hash >>> 3) & (filter.length - 1);
      filter[at] = (filter[at] ?? 0) | (1 << (hash & 7));
    }
  return filter;
}

/** False if no piece begins with that many characters of the text, from there. */
function mayBegin(text: string, start: number, length: number, filter: Uint8Array): boolean {
  const hash = hashOf(text, start, length);
  return ((filter[(hash >>> 3) & (filter.length - 1)] ?? 0) & (1 << (hash & 7))) !== 0;
}

function hashOf(text: string, start: number, length: number): number {
  let hash = length;
  for (let at = start; at < start + length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/** Where the text has secrets, by their starts. The number of secrets matters by its logarithm only. */
export function spansOf(text: string, index: SecretIndex): Span[] {
  const spans: Span[] = [];
  for (let start = 0; start <= text.length - secretLengthMin; start++) {
    if (!mayBegin(text, start, secretLengthMin, index.filter)) continue;
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

/** Where the longest beginning of a secret, or of a piece of one, starts that the text ends with; -1: nowhere. */
export function startOfBeginning(text: string, index: SecretIndex): number {
  const last = text.length - beginningLengthMin;
  for (let start = Math.max(0, text.length - index.longest); start <= last; start++)
    if (mayBegin(text, start, beginningLengthMin, index.filter) && isBeginning(text.slice(start), index)) return start;
  return -1;
}

function isBeginning(text: string, index: SecretIndex): boolean {
  return pieceAt(
    countBelow(index, piece => piece < text),
    index,
  ).startsWith(text);
}

/** The length of the longest piece that the text begins with; 0 if there is none. */
function lengthAt(text: string, index: SecretIndex): number {
  // It is the last one that does not come after the text, or one of its parents.
  let position = countBelow(index, piece => piece <= text) - 1;
  const common = commonLength(pieceAt(position, index), text);
  while (position >= 0 && pieceAt(position, index).length > common) position = index.parents[position] ?? -1;
  return pieceAt(position, index).length;
}

/** Empty if there is no such position. */
function pieceAt(position: number, { text, starts }: SecretIndex): string {
  return text.slice(starts[position], starts[position + 1] ?? 0);
}

/** How many of the sorted pieces are below a bound. */
function countBelow(index: SecretIndex, isBelow: (piece: string) => boolean): number {
  let [low, high] = [0, index.parents.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(pieceAt(middle, index))) low = middle + 1;
    else high = middle;
  }
  return low;
}

function commonLength(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length++;
  return length;
}
