import { generateKeyPairSync, verify } from 'node:crypto';
import test from 'ava';
import type { Email } from '#control-plane/delivery/transports/email/email.ts';
import { classifySmtpError, createMailer, emailConcurrency } from '#control-plane/delivery/transports/email/send.ts';
import { fixedPort } from '#test/support/fixed-port.ts';
import { startMailbox } from '#test/support/mailbox.ts';

const email: Email = {
  to: 'ada@example.com',
  fromName: 'Acme',
  subject: 's',
  text: 't',
  html: '<p>t</p>',
  messageId: 'dlv_1',
  threadId: null,
  listId: null,
  unsubscribeUrl: null,
};

const cases: [title: string, error: Record<string, unknown>, type: string, ours: boolean][] = [
  [
    'an unknown mailbox is a permanent refusal',
    { code: 'EENVELOPE', responseCode: 550, response: '550 5.1.1 unknown' },
    'refused',
    false,
  ],
  ['a full mailbox is retried', { code: 'EENVELOPE', responseCode: 452, response: '452 4.2.2 full' }, 'failed', false],
  [
    'a message that the server rejects is not the recipient’s fault',
    { code: 'EMESSAGE', responseCode: 554, response: '554 spam' },
    'refused',
    true,
  ],
  [
    'a message that the server defers is not the recipient’s fault',
    { code: 'EMESSAGE', responseCode: 451, response: '451 greylisted' },
    'failed',
    true,
  ],
  [
    'a wrong password is retried, since it may be corrected',
    { code: 'EAUTH', responseCode: 535, response: '535 no' },
    'failed',
    true,
  ],
  ['a server that is down is retried', { code: 'ECONNECTION' }, 'failed', true],
  ['a host name that does not resolve is retried', { code: 'EDNS' }, 'failed', true],
  ['a timeout is retried', { code: 'ETIMEDOUT' }, 'failed', true],
  ['an error without a code is retried', {}, 'failed', true],
];
for (const [title, error, type, ours] of cases)
  test(title, t => {
    const outcome = classifySmtpError(Object.assign(new Error('message'), error), 'ada@example.com');
    t.like(outcome, { type, ours });
  });

test('the server’s reply is kept without addresses', t => {
  const error = {
    code: 'EENVELOPE',
    responseCode: 550,
    response: '550 <ada@example.com>: not here,\r\nask bob@example.com',
  };
  const outcome = classifySmtpError(error, 'ada@example.com') as { error: string };
  t.is(outcome.error, 'the SMTP server refused the recipient: 550 <…>: not here, ask …');
});

test('errors say what the SMTP server did', t => {
  const errorOf = (error: object) => (classifySmtpError(error, 'ada@example.com') as { error: string }).error;
  const codes = [
    [{ code: 'EENVELOPE', responseCode: 452, response: '452 full' }, 'refused the recipient for now: 452 full'],
    [{ code: 'EMESSAGE', responseCode: 554, response: '554 spam' }, 'refused the message: 554 spam'],
    [{ code: 'EENVELOPE' }, 'refused the recipient'],
  ] as const;
  for (const [error, text] of codes) t.is(errorOf(error), `the SMTP server ${text}`);
  t.is(errorOf({ code: 'ECONNECTION' }), 'sending through the SMTP server failed (ECONNECTION)');
  t.is(errorOf({}), 'sending through the SMTP server failed (unknown)');
});

test('a server that needs a password gets it, and the error for a wrong one does not contain it', async t => {
  await using mailbox = await startMailbox({ user: 'upquorum', password: 'sword/fish' });
  const right = createMailer(mailbox.url, 'status@upquorum.example');
  const wrong = createMailer(mailbox.url.replace('sword', 'other'), 'status@upquorum.example');
  t.teardown(() => [right, wrong].map(mailer => mailer.close()));
  t.is((await right.send(email)).type, 'sent');
  const outcome = await wrong.send(email);
  t.like(outcome, { type: 'failed', ours: true });
  t.false(/sword|fish|other/.test(JSON.stringify(outcome)));
});

test('refusals of a real server are permanent or retried as their codes say', async t => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  mailbox.refuse = () => ({ code: 550, text: 'no such user ada@example.com' });
  t.like(await mailer.send(email), { type: 'refused', ours: false });
  mailbox.refuse = () => ({ code: 451, text: 'later' });
  t.like(await mailer.send(email), { type: 'failed', ours: true });
  mailbox.refuse = () => ({ code: 452, text: '4.2.2 full' });
  t.like(await mailer.send(email), { type: 'failed', ours: false });
  mailbox.refuse = () => ({ code: 550, text: '5.7.1 Sender address rejected: daily sending limit exceeded' });
  t.like(await mailer.send(email), { type: 'failed', ours: true });
  mailbox.refuse = () => null;
  mailbox.refuseSender = () => ({ code: 550, text: '5.1.1 no such sender' });
  t.deepEqual(await mailer.send(email), {
    type: 'failed',
    error: 'the SMTP server refused the sender: 550 5.1.1 no such sender',
    retryAfterMs: null,
    ours: true,
  });
  mailbox.refuseSender = () => null;
  t.like(await mailer.send(email), { type: 'sent' });
  mailbox.beforeAccepting = () => {
    throw Object.assign(new Error('spam'), { responseCode: 554 });
  };
  t.like(await mailer.send(email), { type: 'refused', ours: true });
});

test('a server that is down is not the recipient’s fault', async t => {
  const mailbox = await startMailbox();
  await mailbox[Symbol.asyncDispose]();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  t.like(await mailer.send(email), { type: 'failed', ours: true });
});

test('a server that was down for many emails gets those after it is back', async t => {
  const port = await fixedPort();
  const before = await startMailbox({ port });
  const mailer = createMailer(before.url, 'status@up.example');
  t.teardown(() => mailer.close());
  await before[Symbol.asyncDispose]();
  const failed = await Promise.all(Array.from({ length: 3 * emailConcurrency }, () => mailer.send(email)));
  t.deepEqual(new Set(failed.map(({ type }) => type)), new Set(['failed']));
  t.false(JSON.stringify(failed).includes('timed out'), 'each is answered at once');
  await using mailbox = await startMailbox({ port });
  t.deepEqual(await mailer.send(email), { type: 'sent' });
  t.is(mailbox.emails.length, 1);
});

test('with a key, emails carry a DKIM signature that covers the headers of one-click unsubscription', async t => {
  await using mailbox = await startMailbox();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const dkim = { domain: 'example.com', selector: 'status', privateKey: pem };
  const mailer = createMailer(mailbox.url, 'status@example.com', dkim);
  t.teardown(() => mailer.close());
  const unsubscribeUrl = 'https://up.example/status/acme/unsubscribe?token=t';
  t.like(await mailer.send({ ...email, listId: 'sp-1', unsubscribeUrl }), { type: 'sent' });
  const { headers, raw } = mailbox.emails[0] ?? { headers: new Map<string, string[]>(), raw: '' };
  const signature = headers.get('dkim-signature')?.[0] ?? '';
  t.regex(signature, /\bd=example\.com;/);
  t.regex(signature, /\bs=status;/);
  t.is(headers.get('list-id')?.[0], '<sp-1.example.com>');
  const signed = /\bh=([^;]+);/.exec(signature)?.[1]?.replace(/\s/g, '').split(':') ?? [];
  for (const name of ['from', 'list-unsubscribe', 'list-unsubscribe-post']) t.true(signed.includes(name), name);
  // Relaxed canonicalization, RFC 6376, section 3.4.2.
  const lines = raw
    .slice(0, raw.indexOf('\r\n\r\n'))
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const relaxed = (name: string) => {
    const line = lines.find(text => text.toLowerCase().startsWith(`${name}:`)) ?? '';
    return `${name}:${line
      .slice(name.length + 1)
      .replace(/\s+/g, ' ')
      .trim()}`;
  };
  const [covered, value] = relaxed('dkim-signature').split(/(?<=\bb=)/);
  const data = Buffer.from([...signed.map(relaxed), covered].join('\r\n'), 'latin1');
  t.true(verify('rsa-sha256', data, publicKey, Buffer.from(value ?? '', 'base64')));
});

test('beyond loopback a server without TLS gets no email, unless the URL says so', async t => {
  await using mailbox = await startMailbox();
  // An address that reaches loopback and does not look like it.
  const remote = mailbox.url.replace('127.0.0.1', '0.0.0.0');
  const strict = createMailer(remote, 'status@example.com');
  const lax = createMailer(`${remote}?ignoreTLS=true`, 'status@example.com');
  t.teardown(() => [strict, lax].map(mailer => mailer.close()));
  t.like(await strict.send(email), { type: 'failed', ours: true });
  t.like(await lax.send(email), { type: 'sent' });
});
