import test from 'ava';
import fc from 'fast-check';
import { presentData } from '#agent/probe/kinds/dns/presentation.ts';
import { typeNumber, typeText } from '#agent/probe/kinds/dns/types.ts';
import { MessageError, WireReader } from '#agent/probe/kinds/dns/wire-reader.ts';

const name = (text: string) =>
  Buffer.concat([
    ...text.split('.').map(label => Buffer.from([Buffer.byteLength(label), ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
const string = (text: string) => Buffer.from([Buffer.byteLength(text), ...Buffer.from(text)]);
const bytes = (...parts: (number | Buffer)[]) =>
  Buffer.concat(parts.map(part => (typeof part === 'number' ? Buffer.from([part]) : part)));
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

function present(type: string, data: Buffer): string {
  return presentData(typeNumber(type), new WireReader(data), data.length);
}

// The texts are those of `dig +short`, but for the final dots and the case of hexadecimal digits.
for (const [type, data, expected] of [
  ['A', hex('c0000201'), '192.0.2.1'],
  ['AAAA', hex('20010db8000000000000000000000001'), '2001:db8::1'],
  ['AAAA', hex('00000000000000000000ffffc0000201'), '::ffff:c000:201'],
  ['NS', name('NS1.Example.COM'), 'ns1.example.com'],
  ['CNAME', bytes(0), '.'],
  ['PTR', name('a_b-c.example'), 'a_b-c.example'],
  ['DNAME', name('other.example'), 'other.example'],
  ['MX', bytes(0, 10, name('Mail.example')), '10 mail.example'],
  ['MX', bytes(0, 0, 0), '0 .'],
  ['SRV', bytes(0, 1, 0, 2, 0x13, 0xc4, name('sip.example')), '1 2 5060 sip.example'],
  [
    'SOA',
    bytes(name('ns.example'), name('host.example'), hex('78a5b0c1 00000e10 00000384 001baf80 00000384')),
    'ns.example host.example 2024124609 3600 900 1814400 900',
  ],
  ['TXT', bytes(string('v=spf1 -ALL'), string('say "hi" \\')), '"v=spf1 -ALL" "say \\"hi\\" \\\\"'],
  ['TXT', string('grün'), '"gr\\195\\188n"'],
  ['CAA', bytes(0, string('a\n b'), Buffer.from('x')), '0 a\\010\\032b "x"'],
  ['CAA', bytes(128, string('Issue'), Buffer.from('ca.example; x=1')), '128 issue "ca.example; x=1"'],
  [
    'NAPTR',
    bytes(0, 100, 0, 10, string('S'), string('SIP+D2U'), string('!^.*$!sip:a@b!'), name('_sip._udp.example')),
    '100 10 "S" "SIP+D2U" "!^.*$!sip:a@b!" _sip._udp.example',
  ],
  ['DS', hex('4f66 08 02 E06D44B8'), '20326 8 2 e06d44b8'],
  ['DNSKEY', hex('0101 03 08 03010001'), '257 3 8 AwEAAQ=='],
  ['SSHFP', hex('04 02 ABCD'), '4 2 abcd'],
  ['TLSA', hex('03 01 01 ABCD'), '3 1 1 abcd'],
  ['HTTPS', bytes(0, 1, 0), '1 .'],
  [
    'HTTPS',
    bytes(0, 1, 0, hex('0001 0006 026832 026833'), hex('0004 0008 c0000201 c0000202')),
    '1 . alpn="h2,h3" ipv4hint=192.0.2.1,192.0.2.2',
  ],
  [
    'SVCB',
    bytes(
      0,
      16,
      name('svc.example'),
      hex('0000 0004 0001 0003'),
      hex('0002 0000'),
      hex('0003 0002 0035'),
      hex('0006 0010 20010db8000000000000000000000001'),
      hex('0005 0002 0102'),
      hex('029a 0001 41'),
    ),
    '16 svc.example mandatory=alpn,port no-default-alpn port=53 ipv6hint=2001:db8::1 ech=AQI= key666="A"',
  ],
  ['TYPE65400', hex('0102ff'), '\\# 3 0102ff'],
  ['TYPE65400', Buffer.alloc(0), '\\# 0'],
  ['TYPE1', hex('c0000201'), '192.0.2.1'],
] as const)
  test(`${type} ${data.toString('hex')}: ${expected}`, t => t.is(present(type, data), expected));

test('what has a meaning in a zone file is escaped in names', t => {
  t.is(present('NS', bytes(7, Buffer.from('a.b\\"@ '), 0)), 'a\\.b\\\\\\"\\@\\032');
  t.is(present('NS', bytes(3, hex('00 ff 0a'), 0)), '\\000\\255\\010');
});

for (const [what, type, data] of [
  ['an address of three bytes', 'A', hex('c00002')],
  ['an address of five bytes', 'A', hex('c000020101')],
  ['a string that goes on after the record', 'TXT', hex('05 61')],
  ['a name without end', 'NS', hex('03 616263')],
  ['a parameter that goes on after the record', 'HTTPS', hex('0001 00 0001 00ff 02')],
  ['half an address hint', 'HTTPS', hex('0001 00 0004 0003 c00002')],
] as const)
  test(`${what} is no valid data`, t => {
    t.throws(() => present(type, data), { instanceOf: MessageError });
  });

test('random data of any type is written or refused, never more', t => {
  const types = fc.constantFrom('A', 'AAAA', 'NS', 'MX', 'SRV', 'SOA', 'TXT', 'CAA', 'NAPTR', 'DS', 'HTTPS', 'TYPE99');
  fc.assert(
    fc.property(types, fc.uint8Array({ maxLength: 300 }), (type, data) => {
      try {
        t.regex(present(type, Buffer.from(data)), /^[ -~]*$/);
      } catch (error) {
        t.true(error instanceof MessageError);
      }
    }),
  );
});

test('a type has its name, or the form of RFC 3597', t => {
  t.is(typeText(typeNumber('HTTPS')), 'HTTPS');
  t.is(typeText(typeNumber('TYPE65')), 'HTTPS');
  t.is(typeText(typeNumber('TYPE64000')), 'TYPE64000');
});
