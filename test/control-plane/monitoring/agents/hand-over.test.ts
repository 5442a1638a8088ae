import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import test from 'ava';
import { handUpgradesOver } from '#control-plane/monitoring/agents/hand-over.ts';
import { newBearer } from '#control-plane/platform/secrets/bearer.ts';
import { subprotocol } from '#shared/protocol/messages.ts';

const path = '/v0/agents/connect';
const bearer = `Bearer ${newBearer('upa')}`;

for (const [title, url, authorization, offered, expected] of [
  ['of an agent', path, bearer, subprotocol, 'handed over'],
  ['of an agent with parameters', `${path}?a=b`, bearer, subprotocol, 'handed over'],
  ['to another path', '/v0/events', bearer, subprotocol, '404'],
  ['without a secret', path, '', subprotocol, '401'],
  ['with the token of an API', path, `Bearer ${newBearer('upq')}`, subprotocol, '401'],
  ['with a mistyped secret', path, `${bearer.slice(0, -1)}${bearer.endsWith('0') ? '1' : '0'}`, subprotocol, '401'],
  ['with another subprotocol', path, bearer, 'chat', '400'],
] as const)
  test(`an upgrade ${title} gets as far as this: ${expected}`, async t => {
    let handedOver = 0;
    const launcher = {
      connected: true,
      send: (_message: unknown, handle: unknown) => {
        handedOver += 1;
        (handle as { end(text: string): void }).end('handed over');
        return true;
      },
    };
    const upgrade = handUpgradesOver('http://localhost', launcher);
    const server = createServer().on('upgrade', upgrade);
    t.teardown(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    const lines = [
      `GET ${url} HTTP/1.1`,
      'Host: a',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Protocol: ${offered}`,
      ...(authorization === '' ? [] : [`Authorization: ${authorization}`]),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const [data] = await once(socket, 'data');
    const answer = String(data);
    t.is(answer.startsWith('HTTP/1.1 ') ? answer.slice(9, 12) : answer, expected);
    t.is(handedOver, expected === 'handed over' ? 1 : 0);
  });
