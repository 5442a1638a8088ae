import test from 'ava';
import fc from 'fast-check';
import { Connections } from '#control-plane/platform/http/limits/connections.ts';
import { parseRange } from '#shared/network/guard.ts';

const exempt = ['10.0.0.0/8', '127.0.0.0/8'].map(parseRange).filter(range => range !== null);

/** How many of three connections of each of these addresses are admitted where an address may have two. */
const admitted = (addresses: readonly string[]) => {
  const connections = new Connections({ all: 10, perAddress: 2, exempt });
  return addresses.flatMap(address => [1, 2, 3].filter(() => connections.admit({}, address))).length;
};

for (const [title, addresses, expected] of [
  ['one address', ['203.0.113.1'], 2],
  ['two addresses', ['203.0.113.1', '203.0.113.2'], 4],
  ['an address in both of its forms', ['203.0.113.1', '::ffff:203.0.113.1'], 2],
  ['addresses of one customer', ['2001:db8::1', '2001:db8::2'], 2],
  ['addresses of two customers', ['2001:db8::1', '2001:db8:0:1::1'], 4],
  ['a trusted proxy', ['10.1.2.3'], 3],
  ['this machine', ['::ffff:127.0.0.1'], 3],
  ['many', ['203.0.113.1', '203.0.113.2', '203.0.113.3', '203.0.113.4', '10.1.2.3'], 10],
] as const)
  test(`three connections each of ${title}: ${expected} are admitted`, t => {
    t.is(admitted(addresses), expected);
  });

test('no address has more than its share, whatever is closed in between, and what is closed makes room', t => {
  const steps = fc.array(fc.record({ address: fc.nat({ max: 3 }), closes: fc.nat({ max: 20 }), opens: fc.boolean() }));
  fc.assert(
    fc.property(steps, all => {
      const connections = new Connections({ all: 5, perAddress: 2, exempt: [] });
      const open: { address: number }[] = [];
      for (const { address, closes, opens } of all) {
        if (opens) {
          const connection = { address };
          const ofAddress = open.filter(other => other.address === address).length;
          t.is(connections.admit(connection, `203.0.113.${address}`), open.length < 5 && ofAddress < 2);
          if (open.length < 5 && ofAddress < 2) open.push(connection);
          continue;
        }
        const [closed] = open.splice(closes % Math.max(1, open.length), 1);
        if (closed === undefined) continue;
        connections.release(closed);
        connections.release(closed);
      }
    }),
  );
});
