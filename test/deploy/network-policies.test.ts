import { readFileSync } from 'node:fs';
import test from 'ava';
import ipaddr from 'ipaddr.js';

const charts = [
  'deploy/helm/upquorum/templates/network-policy.yaml',
  'deploy/helm/upquorum-agent/templates/agent.yaml',
];

for (const path of charts)
  test(`${path} keeps private addresses out, also by a NAT64 gateway`, t => {
    const text = readFileSync(path, 'utf8');
    const [, four = ''] = /cidr: 0\.0\.0\.0\/0, except: \[(.*?)\]/.exec(text) ?? [];
    const [, six = ''] = /cidr: "::\/0"\n\s+except:\n((?:\s+(?:- |#).*\n)+)/.exec(text) ?? [];
    const ranges = [...six.matchAll(/- (\S+)/g)].map(([, range = '']) => ipaddr.IPv6.parseCIDR(range));
    const isKeptOut = (address: string) => ranges.some(range => ipaddr.IPv6.parse(address).match(range));
    const excluded = four.split(', ');
    t.is(excluded.length, 5);
    for (const range of excluded) {
      const [first, last] = [ipaddr.IPv4.networkAddressFromCIDR(range), ipaddr.IPv4.broadcastAddressFromCIDR(range)];
      t.true(isKeptOut(`64:ff9b::${first}`) && isKeptOut(`64:ff9b::${last}`), range);
    }
    for (const address of ['fd00::1', 'fe80::1', '64:ff9b:1::1']) t.true(isKeptOut(address), address);
    for (const address of ['2001:4860:4860::8888', '64:ff9b::8.8.8.8', '64:ff9b::172.32.0.1'])
      t.false(isKeptOut(address), address);
  });
