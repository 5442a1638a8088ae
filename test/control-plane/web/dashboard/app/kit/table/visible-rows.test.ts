import test from 'ava';
import { visibleRows } from '#control-plane/web/dashboard/app/kit/table/visible-rows.ts';

test('of a long list the rows near the visible part are rendered, and never many', t => {
  const rows = (top: number, count = 5000) => visibleRows({ top, height: 900, rowHeight: 60, count });
  t.is(rows(300).first, 0);
  for (const top of [0, -1000, -59_999, -290_000]) {
    const { first, last } = rows(top);
    t.true(first <= -top / 60 && last >= Math.min(5000, (900 - top) / 60), `${top}`);
    t.true(last - first <= 60, `${top}`);
  }
  t.deepEqual(rows(0, 3), { first: 0, last: 3 });
  t.deepEqual(rows(0, 0), { first: 0, last: 0 });
});
