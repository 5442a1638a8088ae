import test from 'ava';
import fc from 'fast-check';
import {
  type CheckNow,
  CheckNowLimiter,
  packConfirmations,
  unpackConfirmations,
} from '#control-plane/monitoring/assignments/check-now.ts';
import type { Confirmation } from '#shared/vocabulary.ts';

/** The longest payload of NOTIFY, in bytes. */
const notifyBytesMax = 7999;

const region = fc.stringMatching(/^[a-z0-9-]{1,64}$/);
const confirmation: fc.Arbitrary<Confirmation> = fc.record({
  monitorId: fc.stringMatching(/^mon_[0-9a-z]{26}$/),
  configVersion: fc.integer({ min: 1, max: 2_147_483_647 }),
  at: fc.integer({ min: 0, max: 8_640_000_000_000 }),
  exceptRegion: region,
  projectId: fc.stringMatching(/^prj_[0-9a-z]{26}$/),
});

test('packed confirmations fit into NOTIFY and come back complete and in order', t => {
  fc.assert(
    fc.property(fc.array(confirmation, { maxLength: 300 }), confirmations => {
      const payloads = packConfirmations(confirmations);
      t.true(payloads.every(payload => Buffer.byteLength(payload) <= notifyBytesMax));
      t.deepEqual(payloads.flatMap(unpackConfirmations), confirmations);
    }),
    { numRuns: 50 },
  );
});

test('a check on request says who asks for it', t => {
  const request: Confirmation = {
    monitorId: 'mon_1',
    configVersion: 1,
    at: 5,
    exceptRegion: '',
    regions: ['a'],
    kind: 'scheduled',
    projectId: 'prj_1',
  };
  t.deepEqual(packConfirmations([request]).flatMap(unpackConfirmations), [request]);
});

test('packing wastes no payload: two neighbours together would not fit into one', t => {
  const confirmations = Array.from({ length: 500 }, (_, index) => ({
    monitorId: `mon_${String(index).padStart(26, '0')}`,
    configVersion: 1,
    at: 1_000_000,
    exceptRegion: 'a',
    projectId: 'prj_1',
  }));
  const payloads = packConfirmations(confirmations);
  t.true(payloads.length > 1 && payloads.length < 10);
  for (const [index, payload] of payloads.slice(1).entries())
    t.true(payload.length + (payloads[index]?.length ?? 0) > 7500);
});

test('nothing is packed of nothing, and a payload of somebody else holds nothing', t => {
  t.deepEqual(packConfirmations([]), []);
  for (const payload of ['', 'x', '{', 'null', '{}', '[1]', '[{"monitorId":1}]'])
    t.deepEqual(unpackConfirmations(payload), [], payload);
});

test('an agent is sent 50 confirmations per second, 40 of one project, and again as many in the next', t => {
  const limiter = new CheckNowLimiter();
  t.is(taken(limiter, 'agt_1', confirm('prj_1'), 5000), 40);
  t.is(taken(limiter, 'agt_1', confirm('prj_2'), 5000), 10, 'there is always room for another project');
  t.is(taken(limiter, 'agt_1', confirm('prj_3'), 5999), 0, 'the same second');
  t.is(taken(limiter, 'agt_1', confirm('prj_3'), 6000), 40, 'the next second');
  t.is(taken(limiter, 'agt_2', confirm('prj_3'), 6000), 40, 'another agent has its own limit');
});

test('a project has a share of the checks on request, and takes nothing of the confirmations', t => {
  const limiter = new CheckNowLimiter();
  t.is(taken(limiter, 'agt_1', request('prj_1'), 5000), 50);
  t.is(taken(limiter, 'agt_1', request('prj_2'), 5000), 50, 'another project has its own share');
  t.is(taken(limiter, 'agt_1', request('prj_3'), 5000), 0, 'the agent has had all');
  t.is(taken(limiter, 'agt_1', confirm('prj_1'), 5000), 40, 'confirmations have a limit of their own');
  t.is(taken(limiter, 'agt_1', request('prj_3'), 6000), 50, 'the next second');
});

test('an agent that disconnects starts with a fresh limit', t => {
  const limiter = new CheckNowLimiter();
  taken(limiter, 'agt_1', confirm('prj_1'), 5000);
  t.false(limiter.take('agt_1', confirm('prj_1'), 5000));
  limiter.forget('agt_1');
  t.true(limiter.take('agt_1', confirm('prj_1'), 5000));
});

const confirm = (projectId: string): CheckNow => ({ kind: 'confirm', projectId });
const request = (projectId: string): CheckNow => ({ kind: 'scheduled', projectId });

/** How many of 120 may be sent. */
function taken(limiter: CheckNowLimiter, agentId: string, asked: CheckNow, nowMs: number): number {
  return Array.from({ length: 120 }, () => limiter.take(agentId, asked, nowMs)).filter(Boolean).length;
}
