import { Assignments } from '#agent/assignments.ts';
import { Schedule } from '#agent/schedule.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import { makeAssignment } from '../support/gateway.ts';

// Prints the heap one more monitor takes in an agent; run with --expose-gc, as garbage hides it in resident memory.
const batch = 200;
const schedule = new Schedule(
  { now: () => Date.now() },
  () => null,
  () => undefined,
);
const assignments = new Assignments(schedule);

function add(batches: number): void {
  for (let i = 0; i < batches; i++) {
    const first = assignments.count;
    const put = Array.from({ length: batch }, (_, place) => monitor(first + place));
    const message = {
      type: 'assignments',
      mode: 'delta',
      revision: 1,
      put,
      drop: [],
      digest: '',
      more: false,
    } as const;
    const received = decodeControlMessage(encode({ ...message, drop: [] }));
    if (received.type === 'assignments') assignments.apply(received);
  }
}

function monitor(place: number) {
  return makeAssignment({
    monitor_id: `mon_${String(place).padStart(26, '0')}`,
    url: `https://service-${place}.example.com/health/check`,
    interval_ms: 60_000,
    offset_ms: place % 60_000,
    assertions: [
      { type: 'status', operator: 'eq', value: 200 },
      { type: 'body_contains', operator: 'contains', value: '"status":"ok"', case_insensitive: false },
    ],
  });
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

add(5);
const before = heapBytes();
add(50);
process.stdout.write(String(Math.round((heapBytes() - before) / (50 * batch))));
