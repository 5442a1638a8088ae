import test from 'ava';
import fc from 'fast-check';
import { confirmationMail, mailHeader, updateMail } from '#control-plane/notifications/mail-message.ts';
import type { News } from '#control-plane/notifications/news-store.ts';
import { createMailer } from '#control-plane/notifications/send-mail.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';

const letterhead = { baseUrl: 'https://status.example', to: 'ada@example.com', token: 'a+b/c=', deliveryId: 'dlv_1' };

function news(title: string, page = 'Acme', component = 'API', body = 'text'): News {
  return {
    update: { id: 'upd_1', state: 'identified', body, postedAt: 0 },
    incident: {
      id: 'inc_1',
      title,
      impact: 'major',
      startedAt: 0,
      resolvedAt: null,
      components: [{ id: 'comp_1', name: component }],
    },
    page: { id: 'sp_1', name: page, slug: 'acme' },
  };
}

const hostile = [
  'x\r\nBcc: all@example.com',
  'x\nBcc: all@example.com\n\n<script>alert(1)</script>',
  'x\rBcc: all@example.com',
  'x\u2028Bcc: all@example.com',
  'x\u0085Bcc: all@example.com',
  'x\u0000Bcc: all@example.com',
  'x%0d%0aBcc: all@example.com',
  '=?UTF-8?Q?=0D=0ABcc:_all=40example.com?=',
  '\u202egnp.exe',
  '" <all@example.com>, "',
  ')(<>@,;:\\"[]',
  '🔥 Größe 東京 '.repeat(20),
  '\ud800 lone',
  'é'.repeat(255),
];

test('what stands in a header is one line without control characters', t => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const header = mailHeader(text);
      return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(header) && header.isWellFormed();
    }),
  );
  t.pass();
});

test('whatever titles and names hold, a real server gets our headers, one recipient and nothing else', async t => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  for (const text of hostile)
    t.is((await mailer.send(updateMail(news(text, text, text), letterhead))).type, 'sent', text);
  t.is(mailbox.mails.length, hostile.length);
  const names =
    'auto-submitted content-type date from in-reply-to list-unsubscribe list-unsubscribe-post message-id mime-version references subject to';
  for (const mail of mailbox.mails) {
    t.deepEqual([...mail.headers.keys()].sort(), names.split(' '), mail.raw.slice(0, 2000));
    for (const [name, values] of mail.headers) t.is(values.length, 1, name);
    t.deepEqual([mail.to, mail.from], ['ada@example.com', 'status@upquorum.example']);
    t.is(mail.headers.get('to')?.[0], 'ada@example.com');
    t.regex(mail.headers.get('from')?.[0] ?? '', /<?status@upquorum\.example>?$/);
    t.false(mail.html.includes('<script'));
    t.true(mail.raw.split('\r\n').every(line => line.length <= 998));
  }
});

test('mails of one incident refer to one message that never was, each by an id of its own that stays', t => {
  const first = updateMail(news('one'), letterhead);
  const again = updateMail(news('one'), letterhead);
  const second = updateMail(news('one'), { ...letterhead, deliveryId: 'dlv_2' });
  t.is(first.messageId, again.messageId);
  t.not(first.messageId, second.messageId);
  t.deepEqual([first.threadId, second.threadId], ['inc_1', 'inc_1']);
});

test('text and HTML say the same, and links lead to the public address alone', t => {
  const mail = updateMail(
    news(
      'Checkout <b>fails</b>',
      'Acme & Sons',
      'API',
      'We **look** <img src=x onerror=alert(1)>\n\n[here](javascript:alert(1))',
    ),
    letterhead,
  );
  t.true(
    mail.text.includes('Checkout <b>fails</b>') && mail.text.includes('Affected: API') && mail.text.includes('We look'),
  );
  t.true(mail.html.includes('Checkout &lt;b&gt;fails&lt;/b&gt;') && mail.html.includes('<strong>look</strong>'));
  t.false(/<img|<b>|href="javascript/i.test(mail.html));
  for (const text of [mail.text, mail.html]) {
    t.true(text.includes('https://status.example/status/acme/incidents/inc_1'));
    t.true(text.includes('https://status.example/status/acme/unsubscribe?token=a%2Bb%2Fc%3D'));
  }
  t.is(mail.subject, '[Acme & Sons] Checkout <b>fails</b>');
});

test('no script of a title, a name or a body comes alive in a mail', t => {
  for (const payload of scriptPayloads) {
    const { html } = updateMail(news(payload, payload, payload, payload), letterhead);
    const tags = [...html.matchAll(/<([a-z][a-z0-9]*)\b[^>]*>/gi)];
    t.false(
      tags.some(tag =>
        /^(script|img|svg|iframe|object|embed|style|link|base|form|input|video|audio|math)$/i.test(tag[1] ?? ''),
      ),
      payload,
    );
    t.false(
      tags.some(tag =>
        /\son\w+\s*=|javascript:|data:|vbscript:/i.test(
          tag[0].replace(/"[^"]*"/g, text => (/^"(https?:|mailto:)/.test(text) ? '""' : text)),
        ),
      ),
      payload,
    );
  }
});

test('a mail that asks for confirmation can be answered by its link alone', t => {
  const mail = confirmationMail({ name: 'Acme', slug: 'acme' }, letterhead);
  t.true(mail.text.includes('https://status.example/status/acme/confirm?token=a%2Bb%2Fc%3D'));
  t.deepEqual([mail.unsubscribeUrl, mail.threadId], [null, null]);
});
