import test from 'ava';
import type { AgentSession } from '#control-plane/monitoring/agents/hooks.ts';
import { Sessions } from '#control-plane/monitoring/agents/sessions.ts';

function sessionOf(agentId: string, closed: string[] = []): AgentSession {
  return {
    id: `${agentId} ${Math.random()}`,
    agent: { id: agentId, region: 'r', name: agentId, isPrivate: false },
    held: { revision: 0, digest: '' },
    ready: true,
    send: () => {},
    close: reason => void closed.push(reason),
    takeVitals: () => {
      throw new Error('not asked for here');
    },
    putBackVitals: () => {},
  };
}

test('a session is found by its agent until it is removed', t => {
  const sessions = new Sessions();
  const session = sessionOf('agt_1');
  sessions.add(session);
  t.is(sessions.get('agt_1'), session);
  t.is(sessions.get('agt_2'), null);
  t.deepEqual([...sessions], [session]);
  sessions.remove(session);
  t.is(sessions.get('agt_1'), null);
  t.is(sessions.size, 0);
});

test('a newer session of an agent closes the older one, whose end does not remove the newer', t => {
  const sessions = new Sessions();
  const closed: string[] = [];
  const older = sessionOf('agt_1', closed);
  const newer = sessionOf('agt_1', closed);
  sessions.add(older);
  sessions.add(newer);
  t.deepEqual(closed, ['replaced']);
  sessions.remove(older);
  t.is(sessions.get('agt_1'), newer);
  t.is(sessions.size, 1);
});
