import test from 'ava';
import {
  answerHash,
  type Blame,
  blameOf,
  isBurst,
  isCertain,
  outcomeOf,
  readSmtpError,
} from '#control-plane/delivery/transports/email/smtp-answer.ts';

const failureOf = (kind: string, command: string, response: string) => {
  const code = Number.parseInt(response, 10);
  const error = { code: kind, command, ...(Number.isNaN(code) ? {} : { response, responseCode: code }) };
  return readSmtpError(error, 'ada@example.com');
};

type Case = [command: string, response: string, blame: Blame, isRetried: boolean];
const cases: Case[] = [
  ['RCPT TO', '550 5.1.1 user unknown', 'recipient', false],
  ['RCPT TO', '550-5.1.1 The account does not exist', 'recipient', false],
  ['RCPT TO', '550 5.1.2 bad domain', 'recipient', false],
  ['RCPT TO', '553 5.1.3 bad syntax', 'recipient', false],
  ['RCPT TO', '550 5.1.6 moved', 'recipient', false],
  ['RCPT TO', '556 5.1.10 null MX', 'recipient', false],
  ['RCPT TO', '550 5.1.7 bad sender address', 'relay', true],
  ['RCPT TO', '550 5.1.8 bad sender domain', 'relay', true],
  ['RCPT TO', '550 5.2.1 disabled', 'recipient', false],
  ['RCPT TO', '552 5.2.2 full', 'recipient', false],
  ['RCPT TO', '550 5.2.0 other', 'relay', true],
  ['RCPT TO', '550 5.3.0 system', 'relay', true],
  ['RCPT TO', '550 5.4.5 daily limit', 'relay', true],
  ['RCPT TO', '550 5.5.1 protocol', 'relay', true],
  ['RCPT TO', '550 5.7.1 Sender address rejected: daily sending limit exceeded', 'relay', true],
  ['RCPT TO', '554 5.7.1 relay access denied', 'relay', true],
  ['RCPT TO', '452 4.2.2 full', 'recipient', true],
  ['RCPT TO', '450 4.1.1 not verified', 'recipient', true],
  ['RCPT TO', '451 4.7.1 greylisted', 'relay', true],
  ['RCPT TO', '451 later', 'relay', true],
  ['RCPT TO', '550 no such user', 'recipient', false],
  ['RCPT TO', '551 not local', 'recipient', false],
  ['RCPT TO', '552 full', 'recipient', false],
  ['RCPT TO', '553 name not allowed', 'recipient', false],
  ['RCPT TO', '554 no', 'relay', true],
  ['RCPT TO', '530 authentication required', 'relay', true],
  ['RCPT TO', '550 5.1.1.1 not a status', 'recipient', false],
  ['MAIL FROM', '550 5.1.1 no', 'relay', true],
  ['MAIL FROM', '550 sender rejected', 'relay', true],
  ['MAIL FROM', '451 later', 'relay', true],
  ['DATA', '554 spam', 'message', false],
  ['DATA', '552 5.3.4 too large', 'message', false],
  ['DATA', '554 5.6.0 content', 'message', false],
  ['DATA', '550 5.4.5 daily limit', 'relay', true],
  ['DATA', '550 5.7.60 may not send as this sender', 'relay', true],
  ['DATA', '451 greylisted', 'message', true],
  ['AUTH PLAIN', '535 5.7.8 wrong password', 'relay', true],
  ['EHLO', '550 5.7.1 go away', 'relay', true],
  ['CONN', '', 'relay', true],
  ['API', '', 'message', false],
];
const kinds: Record<string, string> = { 'RCPT TO': 'EENVELOPE', 'MAIL FROM': 'EENVELOPE', API: 'EENVELOPE' };
for (const [command, response, blame, isRetried] of cases)
  test(`${command}: ${response || 'no answer'} blames the ${blame}${isRetried ? ' and is retried' : ''}`, t => {
    const kind = kinds[command] ?? (command === 'DATA' ? 'EMESSAGE' : 'EPROTOCOL');
    const failure = failureOf(kind, command, response);
    t.is(blameOf(failure), blame);
    t.like(outcomeOf(failure, blame), { type: isRetried ? 'failed' : 'refused', ours: blame !== 'recipient' });
  });

test('an answer that blames nobody for good is judged with those of others', t => {
  t.true(isCertain(failureOf('EENVELOPE', 'RCPT TO', '550 5.1.1 no such user')));
  t.false(isCertain(failureOf('EENVELOPE', 'RCPT TO', '450 4.1.1 not verified')));
  t.true(isCertain(failureOf('EENVELOPE', 'RCPT TO', '550 5.7.1 limit')));
  t.true(isCertain(failureOf('EENVELOPE', 'MAIL FROM', '451 later')));
  t.true(isCertain(failureOf('ECONNECTION', 'CONN', '')));
  t.false(isCertain(failureOf('EENVELOPE', 'RCPT TO', '451 4.7.1 greylisted')));
  t.false(isCertain(failureOf('EENVELOPE', 'RCPT TO', '550 no such user')));
});

test('three recipients of one answer are a burst, unless the relay accepted an email since', t => {
  t.true(isBurst({ recipients: 3, refusedAt: 1000, acceptedAt: null }));
  t.true(isBurst({ recipients: 3, refusedAt: 1000, acceptedAt: 999 }));
  t.false(isBurst({ recipients: 3, refusedAt: 1000, acceptedAt: 1001 }));
  t.false(isBurst({ recipients: 2, refusedAt: 1000, acceptedAt: null }));
});

test('answers are the same if they differ by the address, a queue id or a time', t => {
  const hashOf = (text: string) => answerHash(failureOf('EENVELOPE', 'RCPT TO', text)).toString('hex');
  t.is(hashOf('550 <ada@example.com>: limit (4f3Xy1) 12:01'), hashOf('550 <bob@b.example>: limit (9Zz81k) 12:02'));
  t.not(hashOf('550 limit'), hashOf('550 no such user'));
  t.not(hashOf('550 5.1.1 no'), hashOf('550 5.1.2 no'));
});
