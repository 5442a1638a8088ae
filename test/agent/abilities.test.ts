import test from 'ava';
import { findAbilities } from '#agent/abilities.ts';
import { readConfig } from '#agent/config.ts';
import { capabilities } from '#shared/capabilities.ts';
import { startTestAgent } from '../support/agent.ts';
import { makeFakePing, printing } from '../support/fake-ping.ts';
import { startGateway } from '../support/gateway.ts';

const reply = printing('64 bytes from 127.0.0.1: icmp_seq=1 ttl=64 time=0.045 ms');
const abilitiesWith = (env: Record<string, string>) =>
  findAbilities(readConfig({ AGENT_SECRET: 's', ...env }), () => 1);

test('an agent says what its host lets it do', async t => {
  using program = makeFakePing(reply);
  const abilities = await abilitiesWith({ PATH: program.path, DNS_CHECK_SERVERS: '192.0.2.1' });
  t.deepEqual(abilities.words, [...capabilities, 'ping', 'dns.own']);
  t.deepEqual(abilities.incapable, []);
  t.is(abilities.ping?.interval, '0.2');
});

test('and why it cannot do the rest', async t => {
  const abilities = await abilitiesWith({ PATH: '/nonexistent' });
  t.deepEqual(abilities.words, [...capabilities]);
  t.deepEqual(abilities.incapable, [
    { word: 'ping', reason: 'not installed' },
    { word: 'dns.own', reason: 'DNS_CHECK_SERVERS is not set' },
  ]);
  t.is(abilities.ping, null);
});

test('the control plane learns it in hello, and the operator in the log', async t => {
  await using gateway = await startGateway();
  await using agent = await startTestAgent(gateway, { env: { PATH: '/nonexistent' } });
  await gateway.until(() => gateway.of('hello').length === 1);
  t.like(gateway.of('hello')[0], {
    capabilities: [...capabilities],
    incapable: { 0: { word: 'ping', reason: 'not installed' } },
  });
  await agent.logged('not installed');
});
