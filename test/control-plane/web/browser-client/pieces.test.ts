import test from 'ava';
import fc from 'fast-check';
import {
  addItem,
  bodyOf,
  bytesOf,
  type Item,
  type Piece,
  trim,
} from '#control-plane/web/browser-client/client/pieces.ts';

const dayMs = 86_400_000;
const jsonOf = (size: number) => JSON.stringify({ name: 'x'.repeat(size) });
const piecesOf = (items: readonly Item[]): Piece[] => {
  const pieces: Piece[] = [];
  for (const [index, item] of items.entries()) addItem(pieces, item, `key ${index}`);
  return pieces;
};
const namesIn = (pieces: readonly Piece[]) => pieces.flatMap(piece => piece.items.map(([at]) => at));

test('whatever is added, pieces keep the order, fit into one request, and hold 100 events at most', t => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 16_000 })), {
    maxLength: 300,
  });
  fc.assert(
    fc.property(sizes, sizes => {
      const pieces = piecesOf(sizes.map((size, at) => [at, jsonOf(size)]));
      t.deepEqual(namesIn(pieces), [...sizes.keys()]);
      for (const piece of pieces) {
        t.true(piece.items.length <= 100);
        t.true(Buffer.byteLength(bodyOf(piece)) <= piece.bytes);
        t.true(piece.bytes <= 60_000);
      }
      t.true(pieces.slice(0, -1).every(piece => piece.sealed));
    }),
    { numRuns: 200 },
  );
});

test('a body is JSON with the time of each event', t => {
  const pieces = piecesOf([
    [0, '{"name":"a"}'],
    [1000, '{"name":"ä"}'],
  ]);
  t.deepEqual(JSON.parse(bodyOf(pieces[0] as Piece)), [
    { timestamp: '1970-01-01T00:00:00.000Z', name: 'a' },
    { timestamp: '1970-01-01T00:00:01.000Z', name: 'ä' },
  ]);
});

test('adding says once for each piece that one is full, also while one is being sent', t => {
  const pieces: Piece[] = [];
  const full = (count: number) =>
    Array.from({ length: count }, (_, index) => addItem(pieces, [index, '{"name":"a"}'], `${index}`)).filter(Boolean);
  t.is(full(100).length, 1);
  for (const piece of pieces) piece.sent = true;
  t.is(full(99).length, 1, 'a new piece began');
  t.is(full(1).length, 1);
});

test('events of more than a day are taken out one by one, and what is being sent stays', t => {
  const nowMs = 10 * dayMs;
  const pieces = piecesOf(Array.from({ length: 150 }, (_, index) => [nowMs - dayMs + index - 120, '{"name":"a"}']));
  const sent = pieces[0] as Piece;
  sent.sent = true;
  t.deepEqual(trim(pieces, nowMs), []);
  t.deepEqual(
    pieces.map(piece => piece.items.length),
    [100, 29],
  );
  sent.sent = false;
  t.deepEqual(trim(pieces, nowMs), [sent]);
  t.is(pieces.length, 1);
});

test('2,000 events or 2 MB are kept, the newest', t => {
  const few = piecesOf(Array.from({ length: 1000 }, (_, index) => [index, '{"name":"a"}']));
  t.deepEqual(trim(few, 1000), []);
  const many = piecesOf(Array.from({ length: 2350 }, (_, index) => [index, '{"name":"a"}']));
  t.is(trim(many, 1000).length, 4);
  t.is(namesIn(many)[0], 400);
  const large = piecesOf(Array.from({ length: 300 }, (_, index) => [index, jsonOf(10_000)]));
  trim(large, 1000);
  t.true(namesIn(large).length * bytesOf(jsonOf(10_000)) <= 2_000_000);
  t.is(namesIn(large).at(-1), 299);
});
