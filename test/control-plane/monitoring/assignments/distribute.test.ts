import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import type { AgentSession } from '#control-plane/monitoring/agents/hooks.ts';
import { Sessions } from '#control-plane/monitoring/agents/sessions.ts';
import { AssignmentSet } from '#control-plane/monitoring/assignments/assignment-set.ts';
import type { Catalogue } from '#control-plane/monitoring/assignments/catalogue.ts';
import { Distributor } from '#control-plane/monitoring/assignments/distribute.ts';
import { foldId, weightOf } from '#control-plane/monitoring/assignments/weight.ts';
import type { ControlMessage } from '#shared/protocol/messages.ts';
import { processTimers } from '#shared/timers.ts';
import { silentLog } from '../../../simulation/log.ts';
import { makeAssignment } from '../../../support/gateway.ts';

const check = { monitorId: 'mon_1', configVersion: 1, at: 1000, exceptRegion: 's', projectId: 'prj_1' };

/** A distributor whose catalogue knows `mon_1`, of `agt_1` in `r`, once a reading has ended. */
function openDistributor() {
  const reading = Promise.withResolvers<void>();
  const gathered = Promise.withResolvers<void>();
  const state = {
    nowMs: 1000,
    isRead: false,
    gone: [] as string[],
    held: { revision: 0, digest: '' },
    second: Promise.resolve(),
    meanwhile: () => {},
  };
  const regionsRead: string[][] = [];
  const catalogue = {
    size: 1,
    knows: () => state.isRead,
    monitor: () => (state.isRead ? { version: 1, regions: ['r'] } : null),
    owner: () => (state.isRead ? 'agt_1' : null),
    isOwner: () => state.isRead,
    wantedBy: (ids: readonly string[]) => new Map(ids.map(id => [id, [['mon_1', 1]]])),
    goneLately: () => state.gone,
    read: async (inUse: ReadonlySet<string>) => {
      regionsRead.push([...inUse]);
      if (regionsRead.length === 1) state.meanwhile();
      await (regionsRead.length > 1 ? state.second : reading.promise);
      state.isRead = true;
      return { moves: new Map(), agents: [], doubtful: [] };
    },
  };
  const sessions = new Sessions();
  const distributor = new Distributor({
    catalogue: catalogue as unknown as Catalogue,
    sessions,
    load: async ids =>
      ids.map(id => ({
        assignment: makeAssignment({ monitor_id: id, url: 'http://192.0.2.1/' }),
        bytes: 100,
        projectId: 'prj_1',
        configuredAt: -1e9,
      })),
    findSession: async () => null,
    clock: { now: () => state.nowMs },
    log: silentLog,
    timers: { ...processTimers, wait: () => gathered.promise },
  });
  const sent: ControlMessage[] = [];
  const session = {
    id: 'ses_1',
    agent: { id: 'agt_1', region: 'r' },
    get held() {
      return state.held;
    },
    ready: true,
    send: (message: ControlMessage) => void sent.push(message),
    close: () => {},
  } as unknown as AgentSession;
  sessions.add(session as Parameters<Sessions['add']>[0]);
  return {
    distributor,
    state,
    regionsRead,
    connect: () => distributor.connected(session),
    /** The moment in which arrivals are gathered passes, and the reading ends. */
    arrive: async () => {
      gathered.resolve();
      reading.resolve();
      // Everything is in memory: a few turns of the event loop are enough for all of it.
      for (let turn = 0; turn < 20; turn++) await setImmediate();
    },
    sent: () =>
      sent.map(message =>
        message.type === 'assignments'
          ? `${message.mode === 'delta' ? 'delta, ' : ''}put ${message.put.length}`
          : message.type,
      ),
  };
}

test('a check that is asked for while its agent arrives is sent after the agent’s assignments', async t => {
  const { distributor, connect, arrive, sent } = openDistributor();
  connect();
  distributor.confirm([check]);
  t.deepEqual(sent(), []);
  await arrive();
  t.deepEqual(sent(), ['put 1', 'check_now']);
});

test('it is not sent any more after ten seconds', async t => {
  const { distributor, state, connect, arrive, sent } = openDistributor();
  connect();
  distributor.confirm([check]);
  state.nowMs += 10_000;
  await arrive();
  t.deepEqual(sent(), ['put 1']);
});

test('without agents on their way it is nobody’s', async t => {
  const { distributor, connect, arrive, sent } = openDistributor();
  distributor.confirm([check]);
  connect();
  await arrive();
  t.deepEqual(sent(), ['put 1']);
});

test('an agent that ran nothing before others went lately is sent what it takes over, as a change', async t => {
  const { connect, arrive, sent, state } = openDistributor();
  const taker = ['agt_2', 'agt_3', 'agt_4', 'agt_5'].find(
    id => weightOf(foldId(id), foldId('mon_1')) > weightOf(foldId('agt_1'), foldId('mon_1')),
  );
  state.gone = [taker ?? ''];
  state.held = { revision: 7, digest: new AssignmentSet().digest };
  connect();
  await arrive();
  t.deepEqual(sent(), ['delta, put 1']);
});

test('a reading while agents are gathered leaves their regions to the one for all of them', async t => {
  const { distributor, connect, arrive, sent, regionsRead } = openDistributor();
  connect();
  void distributor.refresh();
  await arrive();
  t.deepEqual(regionsRead, [[], ['r']]);
  t.deepEqual(sent(), ['put 1']);
});

test('the first agent after a start is sent nothing by a reading in which another came', async t => {
  const { state, connect, arrive, sent, regionsRead } = openDistributor();
  const second = Promise.withResolvers<void>();
  state.second = second.promise;
  state.meanwhile = connect;
  connect();
  await arrive();
  t.is(regionsRead.length, 2);
  t.deepEqual(sent(), []);
  second.resolve();
  await arrive();
  t.deepEqual(sent().slice(0, 1), ['put 1']);
});
