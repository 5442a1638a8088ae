import test from 'ava';
import fc from 'fast-check';
import {
  historyPageSize,
  historyPages,
  historyPath,
} from '#control-plane/publishing/status-pages/publish/history-pages.ts';

/** Incidents by their number, latest first. */
const incidents = (count: number) => Array.from({ length: count }, (_, index) => count - index);

test('every incident is on one page, in order, and neighbours lead to each other', t => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 }), count => {
      const pages = historyPages(incidents(count));
      t.deepEqual(
        pages.flatMap(page => page.entries),
        incidents(count),
      );
      const [newest, ...others] = pages;
      t.is(newest?.position.number, null);
      t.true((newest?.entries.length ?? 0) < 2 * historyPageSize);
      if (count >= historyPageSize) t.true((newest?.entries.length ?? 0) >= historyPageSize);
      for (const { entries } of others) t.is(entries.length, historyPageSize);
      for (const [index, { position }] of pages.entries()) {
        const above = pages[index - 1]?.position.number;
        t.is(position.older, pages[index + 1]?.position.number ?? null);
        t.is(position.newer === 'newest' ? null : position.newer, above ?? null);
        t.is(position.newer === 'newest', index === 1);
      }
    }),
  );
});

test('a new incident changes the newest page, and rarely the one after it', t => {
  const pagesOf = (count: number) =>
    new Map(historyPages(incidents(count)).map(page => [page.position.number, JSON.stringify(page)]));
  for (let count = 0; count < 300; count++) {
    const [before, after] = [pagesOf(count), pagesOf(count + 1)];
    const changed = [...before].filter(([number, text]) => number !== null && after.get(number) !== text);
    t.true(changed.length <= (after.size > before.size ? 1 : 0), `${count} incidents`);
  }
});

test('the newest page has no number', t => {
  t.deepEqual([null, 1, 12].map(historyPath), ['/history', '/history/1', '/history/12']);
});
