import test from 'ava';
import type { Mail } from '#control-plane/notifications/mail-message.ts';
import { classifyMailFault, createMailer } from '#control-plane/notifications/send-mail.ts';
import { startMailbox } from '#test/support/mailbox.ts';

const mail: Mail = {
  to: 'ada@example.com',
  fromName: 'Acme',
  subject: 's',
  text: 't',
  html: '<p>t</p>',
  messageId: 'dlv_1',
  threadId: null,
  unsubscribeUrl: null,
};

const cases: [what: string, error: Record<string, unknown>, type: string, ours: boolean][] = [
  [
    'an unknown mailbox is refused for good',
    { code: 'EENVELOPE', responseCode: 550, response: '550 5.1.1 unknown' },
    'refused',
    false,
  ],
  ['a full one may get better', { code: 'EENVELOPE', responseCode: 452, response: '452 4.2.2 full' }, 'failed', false],
  [
    'a message the server does not like is not the recipient’s fault',
    { code: 'EMESSAGE', responseCode: 554, response: '554 spam' },
    'refused',
    true,
  ],
  [
    'nor is one it does not take now',
    { code: 'EMESSAGE', responseCode: 451, response: '451 greylisted' },
    'failed',
    true,
  ],
  ['a wrong password may be corrected', { code: 'EAUTH', responseCode: 535, response: '535 no' }, 'failed', true],
  ['a server that is away comes back', { code: 'ECONNECTION' }, 'failed', true],
  ['a name that is not found too', { code: 'EDNS' }, 'failed', true],
  ['silence too', { code: 'ETIMEDOUT' }, 'failed', true],
  ['what has no code too', {}, 'failed', true],
];
for (const [what, error, type, ours] of cases)
  test(what, t => {
    const outcome = classifyMailFault(Object.assign(new Error('message'), error), 'ada@example.com');
    t.like(outcome, { type, ours });
  });

test('what the server said is kept without addresses', t => {
  const error = {
    code: 'EENVELOPE',
    responseCode: 550,
    response: '550 <ada@example.com>: not here,\r\nask bob@example.com',
  };
  const outcome = classifyMailFault(error, 'ada@example.com') as { error: string };
  t.regex(outcome.error, /550 <…>: not here, ask …/);
});

test('a server that wants a password gets it, and a wrong one is told without it', async t => {
  await using mailbox = await startMailbox({ user: 'upquorum', password: 'sword/fish' });
  const right = createMailer(mailbox.url, 'status@upquorum.example');
  const wrong = createMailer(mailbox.url.replace('sword', 'other'), 'status@upquorum.example');
  t.teardown(() => [right, wrong].map(mailer => mailer.close()));
  t.is((await right.send(mail)).type, 'sent');
  const outcome = await wrong.send(mail);
  t.like(outcome, { type: 'failed', ours: true });
  t.false(/sword|fish|other/.test(JSON.stringify(outcome)));
});

test('refusals of a real server are what they say', async t => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  mailbox.refuse = () => ({ code: 550, text: 'no such user ada@example.com' });
  t.like(await mailer.send(mail), { type: 'refused', ours: false });
  mailbox.refuse = () => ({ code: 451, text: 'later' });
  t.like(await mailer.send(mail), { type: 'failed', ours: false });
  mailbox.refuse = () => null;
  t.like(await mailer.send(mail), { type: 'sent' });
  mailbox.beforeTaking = () => {
    throw Object.assign(new Error('spam'), { responseCode: 554 });
  };
  t.like(await mailer.send(mail), { type: 'refused', ours: true });
});

test('a server that is not there is ours to wait for', async t => {
  const mailbox = await startMailbox();
  await mailbox[Symbol.asyncDispose]();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  t.like(await mailer.send(mail), { type: 'failed', ours: true });
});
