import test from 'ava';
import fc from 'fast-check';
import {
  readScreen,
  type ScreenAnswer,
  versionOfScript,
} from '#control-plane/web/dashboard/app/features/walls/screen-data.ts';
import {
  describeCounts,
  describeStale,
  nextReadMs,
  wallLayout,
  worstStatus,
} from '#control-plane/web/dashboard/app/features/walls/wall-layout.ts';

test('tiles fit any screen, all of them or with one for the rest, and none is too small to read', t => {
  const size = fc.integer({ min: 300, max: 4000 });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5000 }), size, size, (count, width, height) => {
      const { columns, rows, shown } = wallLayout(count, width, height);
      const tiles = shown < count ? shown + 1 : shown;
      return tiles <= columns * rows && width / columns >= 150 && height / rows >= 64 && (shown === count || shown > 0);
    }),
  );
  t.deepEqual(wallLayout(9, 2400, 1200), { columns: 3, rows: 3, shown: 9 });
  t.deepEqual(wallLayout(1, 2400, 1200), { columns: 1, rows: 1, shown: 1 });
  t.deepEqual(wallLayout(2000, 1500, 640), { columns: 10, rows: 10, shown: 99 });
});

test('the worst of what there is comes first, and nothing counts as well without a result', t => {
  const counts = { up: 37, down: 2, paused: 1, maintenance: 3 };
  t.is(describeCounts(counts), '2 down · 3 in maintenance · 37 up · 1 paused');
  t.is(worstStatus(counts), 'down');
  t.is(worstStatus({ up: 3, pending: 1 }), 'pending');
  t.is(worstStatus({ paused: 3 }), null);
});

test('data is old after 20 seconds, and a lost server is asked less and less often', t => {
  t.deepEqual(
    [null, 0, 80_000, 79_999].map(asOf => describeStale(asOf, 100_000)),
    ['never', 'stale', 'current', 'stale'],
  );
  t.deepEqual([0, 1, 2, 3, 9].map(nextReadMs), [5000, 10_000, 20_000, 30_000, 30_000]);
});

test('a screen tells a refused link from a lost server, and sends its secret in a header alone', async t => {
  const cases: [Response | Error, ScreenAnswer['type']][] = [
    [Response.json({ name: 'Lobby' }), 'data'],
    [new Response('', { status: 401 }), 'refused'],
    [new Response('', { status: 429 }), 'lost'],
    [new Response('', { status: 503 }), 'lost'],
    [new Response('<html>', { status: 200 }), 'lost'],
    [new TypeError('failed to fetch'), 'lost'],
  ];
  for (const [answer, type] of cases) {
    const asked: Request[] = [];
    const fetch = async (path: string | URL | Request, options?: RequestInit) => {
      asked.push(new Request(new URL(String(path), 'http://up.example'), { headers: options?.headers ?? {} }));
      if (answer instanceof Error) throw answer;
      return answer;
    };
    t.is((await readScreen('upw_secret', fetch)).type, type);
    t.is(asked[0]?.url, 'http://up.example/wall/data');
    t.is(asked[0]?.headers.get('authorization'), 'Bearer upw_secret');
  }
  t.is(versionOfScript('http://up.example/dashboard/assets/0123/app.js'), '0123');
  t.is(versionOfScript('http://up.example/app.js'), null);
});
