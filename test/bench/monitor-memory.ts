import { Assignments } from '#agent/assignments.ts';
import { Schedule } from '#agent/schedule.ts';
import { decodeControlMessage, encode } from '#shared/protocol/codec.ts';
import { makeAssignment } from '../support/gateway.ts';

// Prints the heap that one more monitor takes in an agent. Run with --expose-gc, because garbage would hide it.
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
    const put = Array.from({ length: batch }, (_, index) => monitor(first + index));
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

function monitor(index: number) {
  return makeAssignment({
    monitor_id: `mon_${String(index).padStart(26, '0')}`,
    url: `https://service-${index}.example.com/health/check`,
    interval_ms: 60_000,
    offset_ms: index % 60_000,
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
