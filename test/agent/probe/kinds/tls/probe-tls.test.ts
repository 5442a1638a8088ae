import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import test from 'ava';
import type { StarttlsProtocol } from '#shared/checks/vocabulary.ts';
import { makeCertificate } from '../../../../support/certificate.ts';
import { probeKindOnce, probeTools } from '../../../../support/probe.ts';
import { type StarttlsScript, startStarttlsServer } from '../../../../support/starttls-server.ts';
import { ok, startRawTarget, startTarget } from '../../../../support/target.ts';

const folder = mkdtempSync(join(tmpdir(), 'upquorum-tls-'));
test.after.always(() => rmSync(folder, { recursive: true }));
const certificate = makeCertificate();
const authorityFile = join(folder, 'authority.pem');
writeFileSync(authorityFile, certificate.authority);
const tools = probeTools({}, authorityFile);

const probe = (port: number, starttls: StarttlsProtocol | null = null, host = 'localhost', timeoutMs = 20_000) =>
  probeKindOnce({ kind: 'tls', host, port, starttls }, tools, { timeoutMs });

test('a handshake reports its certificate, its protocol and its time', async t => {
  await using target = await startTarget(ok(), certificate);
  const outcome = await probe(target.port);
  t.like(outcome, { error: null, statusCode: null, bytes: 0, facts: null, host: `localhost:${target.port}` });
  t.like(outcome.tls, { protocol: 'TLSv1.3', subject: 'CN=localhost' });
  t.true((outcome.timings.tls_ms ?? 0) > 0);
  t.false('starttls_ms' in outcome.timings);
  t.is(target.requests.length, 0);
});

test('no protocol is offered and nothing is sent, and the connection is closed in order', async t => {
  const seen = Promise.withResolvers<{ alpn: unknown; bytes: number; error: unknown }>();
  const server = createServer({ ...certificate, ALPNProtocols: ['http/1.1', 'h2'] }, (socket: TLSSocket) => {
    let bytes = 0;
    let error: unknown = null;
    socket.on('data', chunk => {
      bytes += chunk.length;
    });
    socket.on('error', found => {
      error = found;
    });
    socket.on('close', () => seen.resolve({ alpn: socket.alpnProtocol, bytes, error }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const outcome = await probe(typeof address === 'object' ? (address?.port ?? 0) : 0);
  t.is(outcome.error, null);
  t.deepEqual(await seen.promise, { alpn: false, bytes: 0, error: null });
  server.close();
});

test('a certificate for a different name, of an unknown authority, or no TLS at all is a tls_error', async t => {
  await using target = await startTarget(ok(), certificate);
  const named = await probeKindOnce(
    { kind: 'tls', host: '127.0.0.2', port: target.port, starttls: null },
    probeTools({}, authorityFile),
  );
  t.is(named.error?.code, 'connect_refused', 'nothing listens there');
  const other = makeCertificate({ name: 'other.test' });
  const otherFile = join(folder, 'other.pem');
  writeFileSync(otherFile, other.authority);
  await using otherTarget = await startTarget(ok(), other);
  const wrong = await probeKindOnce(
    { kind: 'tls', host: 'localhost', port: otherTarget.port, starttls: null },
    probeTools({}, otherFile),
  );
  t.like(wrong, {
    phase: 'tls',
    error: { code: 'tls_error', message: 'TLS failed: the certificate is for a different name' },
  });
  const unknown = await probeKindOnce({ kind: 'tls', host: 'localhost', port: target.port, starttls: null });
  t.like(unknown, { phase: 'tls', error: { code: 'tls_error' }, tls: null });
  await using plain = await startRawTarget(socket => void socket.end('220 hello\r\n'));
  t.like(await probe(plain.port), { phase: 'tls', error: { code: 'tls_error' } });
});

const ldapRequest = Buffer.concat([Buffer.from('301d02010177188016', 'hex'), Buffer.from('1.3.6.1.4.1.1466.20037')]);
const ldapResponse = (result: number, message = '') => {
  const text = Buffer.from(message);
  const body = Buffer.concat([Buffer.from([0x0a, 1, result, 0x04, 0, 0x04, text.length]), text]);
  const content = Buffer.concat([Buffer.from([2, 1, 1, 0x78, body.length]), body]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
};
const postgresRequest = Buffer.from('0000000804d2162f', 'hex');

const good: Record<StarttlsProtocol, StarttlsScript> = {
  smtp: {
    greeting: '220-mail.test ESMTP\r\n220 be nice\r\n',
    answers: [
      ['EHLO upquorum.invalid\r\n', '250-mail.test\r\n250-STARTTLS\r\n250 SIZE\r\n'],
      ['STARTTLS\r\n', '220 go ahead\r\n'],
    ],
    secured: '220 go ahead\r\n',
  },
  imap: {
    greeting: '* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n',
    answers: [['a STARTTLS\r\n', '* CAPABILITY IMAP4rev1\r\na OK begin\r\n']],
    secured: '* CAPABILITY IMAP4rev1\r\na OK begin\r\n',
  },
  pop3: { greeting: '+OK ready\r\n', answers: [['STLS\r\n', '+OK begin\r\n']], secured: '+OK begin\r\n' },
  ftp: {
    greeting: '220-Welcome\r\nfree text\r\n220 ready\r\n',
    answers: [['AUTH TLS\r\n', '234 go\r\n']],
    secured: '234 go\r\n',
  },
  ldap: { answers: [[ldapRequest, ldapResponse(0)]], secured: undefined as never },
  postgres: { answers: [[postgresRequest, 'S']], secured: 'S' },
};
good.ldap.secured = good.ldap.answers[0]?.[1] ?? '';

for (const [protocol, script] of Object.entries(good) as [StarttlsProtocol, StarttlsScript][]) {
  test(`${protocol}: after the talk the certificate is verified as at once`, async t => {
    await using server = await startStarttlsServer(script, certificate);
    const outcome = await probe(server.port, protocol);
    t.like(outcome, { error: null, statusCode: null, remoteIp: '127.0.0.1' });
    t.like(outcome.tls, { protocol: 'TLSv1.3', subject: 'CN=localhost' });
    t.true((outcome.timings.starttls_ms ?? 0) > 0);
    t.true((outcome.timings.tls_ms ?? 0) > 0);
    t.deepEqual(
      server.heard.slice(0, script.answers.length).map(String),
      script.answers.map(([asked]) => String(asked)),
    );
  });

  test(`${protocol}: a certificate of an unknown authority fails in the phase tls`, async t => {
    await using server = await startStarttlsServer(script, certificate);
    const outcome = await probeKindOnce({ kind: 'tls', host: 'localhost', port: server.port, starttls: protocol });
    t.like(outcome, { error: { code: 'tls_error' }, failureSource: 'target', phase: 'tls' });
  });

  test(`${protocol}: another protocol is a protocol_error, and what it says is not shown`, async t => {
    const greeting = protocol === 'postgres' ? 'HTTP' : 'SSH-2.0-OpenSSH_9.2 banner-text\r\n';
    const answers = script.answers.map(([asked]): [string | Buffer, string] => [asked, 'SSH banner-text\r\n']);
    await using server = await startStarttlsServer({ greeting, answers }, certificate);
    const outcome = await probe(server.port, protocol);
    t.like(outcome, { error: { code: 'protocol_error' }, phase: 'starttls', response: null });
    t.notRegex(outcome.error?.message ?? '', /banner|SSH/);
  });

  test(`${protocol}: words in clear text after the agreement are refused`, async t => {
    const [asked, answer] = script.answers.at(-1) ?? ['', ''];
    const injected = Buffer.concat([Buffer.from(answer), Buffer.from('250 injected\r\n')]);
    const answers = [...script.answers.slice(0, -1), [asked, injected] as [string | Buffer, Buffer]];
    await using server = await startStarttlsServer({ ...script, answers, secured: 'never' }, certificate);
    t.like(await probe(server.port, protocol), {
      error: { code: 'protocol_error', message: 'more came in clear text after the server agreed to TLS' },
    });
  });
}

const refusals: [StarttlsProtocol, StarttlsScript, string][] = [
  ['smtp', { ...good.smtp, greeting: '554 5.7.1 not you\r\n' }, '554 5.7.1 not you'],
  ['smtp', { ...good.smtp, answers: [['EHLO upquorum.invalid\r\n', '502 what\r\n']] }, '502 what'],
  [
    'smtp',
    { ...good.smtp, answers: [good.smtp.answers[0] ?? ['', ''], ['STARTTLS\r\n', '454-TLS\r\n454 not available\r\n']] },
    '454 not available',
  ],
  ['imap', { ...good.imap, greeting: '* BYE too busy\r\n' }, '* BYE too busy'],
  ['imap', { ...good.imap, answers: [['a STARTTLS\r\n', 'a NO [ALERT] off\r\n']] }, 'a NO [ALERT] off'],
  ['imap', { ...good.imap, answers: [['a STARTTLS\r\n', 'a BAD unknown\r\n']] }, 'a BAD unknown'],
  ['pop3', { ...good.pop3, greeting: '-ERR closed\r\n' }, '-ERR closed'],
  ['pop3', { ...good.pop3, answers: [['STLS\r\n', '-ERR no\r\n']] }, '-ERR no'],
  ['ftp', { ...good.ftp, greeting: '421 too many\r\n' }, '421 too many'],
  ['ftp', { ...good.ftp, answers: [['AUTH TLS\r\n', '530 not here\u0007\u001b[31m\r\n']] }, '530 not here  [31m'],
  ['ldap', { answers: [[ldapRequest, ldapResponse(52, 'TLS is off')]] }, 'result 52 TLS is off'],
  ['postgres', { answers: [[postgresRequest, 'N']] }, 'N (TLS is off)'],
  [
    'postgres',
    { answers: [[postgresRequest, Buffer.from('E\0\0\0\x1cSFATAL\0C53300\0Mfull up\0\0', 'latin1')]] },
    'full up',
  ],
];
for (const [protocol, script, line] of refusals)
  test(`${protocol}: "${line}" is starttls_refused with that line`, async t => {
    await using server = await startStarttlsServer(script, certificate);
    t.like(await probe(server.port, protocol), {
      error: { code: 'starttls_refused', message: `the server refused: ${line}` },
      failureSource: 'target',
      phase: 'starttls',
      host: `localhost:${server.port}`,
    });
  });

test('of a refusing line 200 characters are shown', async t => {
  await using server = await startStarttlsServer({ greeting: `554 ${'x'.repeat(5000)}\r\n`, answers: [] }, certificate);
  const { error } = await probe(server.port, 'smtp');
  t.is(error?.message, `the server refused: 554 ${'x'.repeat(196)}`);
});

for (const [what, greeting, message] of [
  ['endless lines', '220-more\r\n'.repeat(400), 'more than 20 lines came before TLS'],
  ['an endless line', 'x'.repeat(20_000), 'more than 16 KiB came before TLS'],
] as const)
  test(`a greeting of ${what} is abandoned`, async t => {
    await using server = await startStarttlsServer({ greeting, answers: [] }, certificate);
    t.like(await probe(server.port, 'smtp'), { error: { code: 'protocol_error', message }, phase: 'starttls' });
  });

// One after the other: a time limit of seconds must not pass while others use the thread.
test.serial('a greeting that comes byte by byte ends with the time limit', async t => {
  await using server = await startRawTarget(socket => {
    const timer = setInterval(() => socket.write('2'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  t.like(await probe(server.port, 'smtp', 'localhost', 2000), { error: { code: 'timeout' }, phase: 'starttls' });
});

test.serial('a server that is silent after agreeing ends with the time limit, in the phase tls', async t => {
  await using server = await startStarttlsServer({ ...good.pop3, secured: 'never' }, certificate);
  t.like(await probe(server.port, 'pop3', 'localhost', 2000), { error: { code: 'timeout' }, phase: 'tls' });
});

test('the end of the connection during the talk is a reset, but a refusal before it is read', async t => {
  await using server = await startRawTarget(socket => void socket.end());
  t.like(await probe(server.port, 'smtp'), { error: { code: 'connection_reset' }, phase: 'starttls' });
  await using refusing = await startRawTarget(socket => void socket.end('421 too busy\r\n'));
  t.is((await probe(refusing.port, 'smtp')).error?.code, 'starttls_refused');
});

test('a server that accepts hybrid groups alone is talked to a second time', async t => {
  await using server = await startStarttlsServer(good.pop3, { ...certificate, ecdhCurve: 'X25519MLKEM768' });
  const outcome = await probe(server.port, 'pop3');
  t.is(outcome.error, null);
  t.is(server.heard.filter(bytes => bytes.equals(Buffer.from('STLS\r\n'))).length, 2);
});

test('a forbidden address is not talked to', async t => {
  const guarded = probeTools({ policy: { base: 'public', allow: [] } }, authorityFile);
  for (const starttls of [null, 'smtp'] as const) {
    const outcome = await probeKindOnce({ kind: 'tls', host: '127.0.0.1', port: 25, starttls }, guarded);
    t.is(outcome.error?.code, 'blocked_address');
  }
});
