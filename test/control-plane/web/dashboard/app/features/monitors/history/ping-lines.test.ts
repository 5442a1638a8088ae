import test from 'ava';
import { lossOf, pingPlots, pingRows } from '#control-plane/web/dashboard/app/features/monitors/history/ping-lines.ts';

const at = (minute: number) => `2026-11-21T09:${String(minute).padStart(2, '0')}:00.000Z`;
const found = (minute: number, region: string, received: number, jitter_ms: number | null = 1) => ({
  bucket: at(minute),
  region,
  sent: 4,
  received,
  jitter_ms,
});
const data = [found(0, 'us', 4), found(0, 'eu', 3, 2.004), found(10, 'eu', 0, null)];

const shown = { fromMs: Date.parse(at(0)) - 1, toMs: Date.parse(at(12)) };

test('each region has a line over all of the time, and a bucket without packets is a gap', t => {
  const { loss, jitter } = pingPlots({ data, bucket_seconds: 300 }, 60, shown);
  t.deepEqual(
    loss.times.map(time => new Date(time * 1000).toISOString().slice(11, 16)),
    ['08:55', '09:00', '09:05', '09:10'],
  );
  t.deepEqual(loss.lines, [
    { label: 'eu', values: [null, 25, null, 100] },
    { label: 'us', values: [null, 0, null, null] },
  ]);
  t.deepEqual(jitter.lines[0], { label: 'eu', values: [null, 2, null, null] });
  t.deepEqual([loss.joined, loss.unit], [false, 'percent']);
  t.true(pingPlots({ data, bucket_seconds: 60 }, 60, shown).loss.joined);
  t.deepEqual(pingPlots({ data: [], bucket_seconds: 60 }, 60, shown).loss.lines, []);
});

test('the figures of regions are of all their packets', t => {
  t.is(pingRows([found(0, 'eu', 4, 1), found(1, 'eu', 2, 4)])[0]?.jitter, 2);
  t.deepEqual(pingRows(data), [
    { region: 'eu', sent: 8, received: 3, worstLoss: 100, jitter: 2, worstJitter: 2 },
    { region: 'us', sent: 4, received: 4, worstLoss: 0, jitter: 1, worstJitter: 1 },
  ]);
});

test('a packet that was lost is never none', t => {
  t.is(lossOf({ sent: 100_000, received: 99_999 }), 0.1);
  t.is(lossOf({ sent: 8, received: 7 }), 12.5);
  t.is(lossOf({ sent: 0, received: 0 }), 0);
});
