import test from 'ava';
import fc from 'fast-check';
import type { ResultDetail } from '#control-plane/monitoring/checks/result.ts';
import { detailOf } from '#control-plane/monitoring/checks/storage/detail.ts';
import type { NewResult } from '#control-plane/monitoring/checks/storage/insert-store.ts';
import { joinParts, type Shape } from '#control-plane/monitoring/checks/storage/shape.ts';
import { dayOf, type NewShape, ShapeBook } from '#control-plane/monitoring/checks/storage/shape-book.ts';
import { dayMs } from '#shared/duration.ts';
import { makeNewResult } from '#test/support/monitor-state.ts';
import { anyResult } from '#test/support/wire-results.ts';

/** What is read of results after they were divided, each with the shapes stored by then. */
function readBack(results: readonly NewResult[], book = new ShapeBook()) {
  const stored = new Map<string, Shape>();
  const key = (monitorId: string, day: number, hash: number | null) => `${monitorId} ${day} ${hash}`;
  return results.map(result => {
    const { parts, shapes } = book.divide([result]);
    book.remember(shapes);
    for (const shape of shapes) stored.set(key(shape.monitorId, shape.day, shape.hash), JSON.parse(shape.text));
    const [part] = parts;
    if (part === undefined) throw new Error('each result has parts');
    const row = { ...part, agent_id: part.agentId, detail: JSON.parse(part.detail) };
    return joinParts(row, stored.get(key(result.monitor_id, dayOf(result.scheduled_at), part.shape)));
  });
}

const found = (actual: string, at = 0): NewResult =>
  makeNewResult(at, {
    assertions: [{ index: 0, type: 'json_path', passed: true, expected: '$.load lt 5', actual }],
  });
const shapeCount = (shapes: readonly NewShape[]) => new Set(shapes.map(({ day, hash }) => `${day} ${hash}`)).size;

test('what is read of a result is byte for byte its detail, whatever an agent reports', t => {
  fc.assert(
    fc.property(fc.array(anyResult, { minLength: 1, maxLength: 80 }), results => {
      for (const [index, read] of readBack(results).entries()) {
        const result = results[index] ?? makeNewResult(0);
        t.is(JSON.stringify(read.detail), JSON.stringify(JSON.parse(detailOf(result)) as ResultDetail));
        t.is(read.agent_id, result.agentId);
      }
    }),
  );
});

test('a usual result becomes a few bytes of figures, and a shape that is stored once a day', t => {
  const book = new ShapeBook();
  const results = Array.from({ length: 100 }, (_, index) => makeNewResult(index * 60_000, { bytes: index }));
  const first = book.divide(results);
  t.is(first.shapes.length, 1);
  t.deepEqual(new Set(first.parts.map(part => `${part.agentId} ${part.detail}`)), new Set([' {}']));
  book.remember(first.shapes);
  t.deepEqual(book.divide(results).shapes, []);
  t.is(book.divide([makeNewResult(dayMs)]).shapes.length, 1);
});

test('a shape whose commit failed is stored with the next result', t => {
  const book = new ShapeBook();
  const { shapes } = book.divide([makeNewResult(0)]);
  t.deepEqual(book.divide([makeNewResult(1)]).shapes, shapes);
});

test('values that differ each time do not become shapes without end, in one batch or in many', t => {
  const results = Array.from({ length: 1000 }, (_, index) => found(`value ${index}`, index));
  const together = new ShapeBook().divide(results);
  const book = new ShapeBook();
  const apart = results.flatMap(result => {
    const { shapes } = book.divide([result]);
    book.remember(shapes);
    return shapes;
  });
  t.is(shapeCount(together.shapes), 17);
  t.deepEqual(apart, together.shapes);
  t.is(together.parts.at(-1)?.detail, '{"actual":["value 999"]}');
});

test('a monitor with a new shape for each result falls back to rows that are complete', t => {
  const results = Array.from({ length: 200 }, (_, index) => makeNewResult(index, { remote_ip: `10.0.0.${index}` }));
  const { parts, shapes } = new ShapeBook().divide(results);
  t.is(shapeCount(shapes), 64);
  t.deepEqual(parts.at(-1), {
    agentId: 'agt_1',
    detail: detailOf(results.at(-1) ?? makeNewResult(0)),
    shape: null,
    figures: null,
  });
});

test('failures are stored complete, as version 0.3 reads them to open alerts', t => {
  const failure = makeNewResult(0, { status: 'err', failure_source: 'target' });
  t.is(new ShapeBook().divide([failure]).parts[0]?.detail, detailOf(failure));
});

test('a row without its shape is read without what the shape had', t => {
  const [part] = new ShapeBook().divide([makeNewResult(0)]).parts;
  const row = { agent_id: '', shape: part?.shape ?? null, figures: part?.figures ?? null, detail: {} };
  t.like(joinParts(row, undefined).detail, { assertions: [], error: null, timings: null });
});
