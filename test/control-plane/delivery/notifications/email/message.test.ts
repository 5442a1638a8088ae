import test from 'ava';
import fc from 'fast-check';
import { createBriefRendering } from '#control-plane/delivery/notifications/email/brief-rendering.ts';
import { confirmationEmail, quotedName } from '#control-plane/delivery/notifications/email/confirmation.ts';
import { updateEmail } from '#control-plane/delivery/notifications/email/update.ts';
import type { IncidentNotice } from '#control-plane/delivery/notifications/incident-notice.ts';
import { incidentNews } from '#control-plane/delivery/notifications/update-news.ts';
import { headerText } from '#control-plane/delivery/transports/email/email.ts';
import { createMailer } from '#control-plane/delivery/transports/email/send.ts';
import { type Locale, languageOf } from '#control-plane/publishing/status-pages/locale/language.ts';
import { timesIn } from '#control-plane/publishing/status-pages/locale/times.ts';
import { anyText } from '#test/support/any-text.ts';
import { startMailbox } from '#test/support/mailbox.ts';
import { scriptPayloads } from '#test/support/script-payloads.ts';
import { leastThreadMs } from '#test/support/thread-time.ts';

const baseUrl = 'https://status.example';
const recipient = { to: 'ada@example.com', token: 'a+b/c=', deliveryId: 'dlv_1' };
const emailOf = (shown: IncidentNotice, deliveryId = 'dlv_1') =>
  updateEmail(incidentNews(shown, baseUrl), baseUrl)({ ...recipient, deliveryId });

function notice(title: string, page = 'Acme', component = 'API', body = 'text'): IncidentNotice {
  return {
    update: { id: 'upd_1', state: 'identified', body, postedAt: Date.UTC(2026, 10, 20, 12, 1, 2), rendered: null },
    incident: {
      id: 'inc_1',
      title,
      impact: 'major',
      startedAt: 0,
      resolvedAt: null,
      components: [{ id: 'comp_1', name: component }],
    },
    page: { id: 'sp_1', name: page, slug: 'acme', domain: null, timezone: 'Europe/Berlin', locale: 'en' },
  };
}

test('links lead to the own domain of the page, those that unsubscribe and confirm too', t => {
  const shown = notice('Slow');
  const email = emailOf({ ...shown, page: { ...shown.page, domain: 'status.acme.example' } });
  t.true(email.unsubscribeUrl?.startsWith('https://status.acme.example/unsubscribe?token='));
  t.true(email.text.includes('https://status.acme.example/incidents/inc_1'));
  t.notRegex(email.text + email.html, /\/status\/acme|status\.example/);
  const page = { name: 'Acme', slug: 'acme', domain: 'status.acme.example', locale: 'en' } as const;
  t.regex(confirmationEmail(page, baseUrl, recipient).text, /https:\/\/status\.acme\.example\/confirm\?token=/);
});

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

const zones: [timezone: string, locale: Locale][] = [
  ['America/New_York', 'en'],
  ['Asia/Kolkata', 'en'],
  ['Europe/Berlin', 'de'],
  ['America/New_York', 'de'],
  ['Europe/Paris', 'fr'],
  ['UTC', 'fr'],
];
for (const [timezone, locale] of zones)
  test(`an email calls the zone ${timezone} what a page in ${locale} calls it`, t => {
    const shown = notice('x');
    const { text } = emailOf({ ...shown, page: { ...shown.page, timezone, locale } });
    const onPage = timesIn(timezone, languageOf(locale)).text(shown.update.postedAt).split(' ').at(-1);
    t.true(text.includes(` ${onPage}\n`), `${onPage} in ${text}`);
  });

test('text for a header is one line without control characters', t => {
  fc.assert(
    fc.property(anyText(), text => {
      const header = headerText(text);
      return !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(header) && header.isWellFormed();
    }),
  );
  t.pass();
});

test('a title or name that looks like an encoded word is read as it was written', async t => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  const texts = [
    '=?utf-8?Q?Paid?=',
    'é =?UTF-8?B?UGFpZA==?= è',
    `=?utf-8?Q?${'long_'.repeat(40)}?=`,
    'a=?b',
    '=?utf-8?Q?a?= =?utf-8?Q?b?=',
  ];
  for (const text of texts) {
    t.is((await mailer.send({ ...emailOf(notice('x')), subject: text, fromName: text })).type, 'sent');
    const { headers, raw } = mailbox.emails.at(-1) ?? { headers: new Map<string, string[]>(), raw: '' };
    t.is(headers.get('subject')?.[0], text);
    t.is(headers.get('from')?.[0]?.replaceAll('\u2060', ''), `${text} <status@upquorum.example>`);
    t.false(raw.slice(0, raw.indexOf('\r\n\r\n')).includes(text), 'no such word is sent as it is');
  }
});

test('a long text that no page has rendered yet is sent unformatted, and short ones have 50 ms a second', async t => {
  const long = `${'# x\n'.repeat(6000)}**last**`;
  const ms = await leastThreadMs(1000, () =>
    t.true(emailOf(notice('x', 'Acme', 'API', long)).html.includes('**last**')),
  );
  t.true(ms < 1000, `${ms} ms`);
  t.true(emailOf(notice('x', 'Acme', 'API', 'a **bold** word')).html.includes('<strong>bold</strong>'));
  let [nowMs, looks] = [0, 0];
  // Each rendering seems to take 20 ms.
  const render = createBriefRendering(() => nowMs + 20 * (looks++ % 2));
  const isFormatted = () => render('**x**').html.includes('<strong>');
  looks = 1;
  const results = Array.from({ length: 5 }, () => {
    looks = 0;
    return isFormatted();
  });
  t.deepEqual(results, [true, true, true, false, false]);
  nowMs = 1001;
  looks = 0;
  t.true(isFormatted(), 'the next second has its own');
});

test('whatever titles and names contain, a real server receives only our headers and one recipient', async t => {
  await using mailbox = await startMailbox();
  const mailer = createMailer(mailbox.url, 'status@upquorum.example');
  t.teardown(() => mailer.close());
  for (const text of hostile) t.is((await mailer.send(emailOf(notice(text, text, text)))).type, 'sent', text);
  t.is(mailbox.emails.length, hostile.length);
  const names = [
    ...['auto-submitted', 'content-type', 'date', 'from', 'in-reply-to', 'list-id', 'list-unsubscribe'],
    ...['list-unsubscribe-post', 'message-id', 'mime-version', 'references', 'subject', 'to'],
  ];
  for (const email of mailbox.emails) {
    t.deepEqual([...email.headers.keys()].sort(), names, email.raw.slice(0, 2000));
    for (const [name, values] of email.headers) t.is(values.length, 1, name);
    t.deepEqual([email.to, email.from], ['ada@example.com', 'status@upquorum.example']);
    t.is(email.headers.get('to')?.[0], 'ada@example.com');
    t.regex(email.headers.get('from')?.[0] ?? '', /<?status@upquorum\.example>?$/);
    t.false(email.html.includes('<script'));
    t.true(email.raw.split('\r\n').every(line => line.length <= 998));
  }
});

test('emails of one incident share a thread, and each delivery has one message id', t => {
  const first = emailOf(notice('one'));
  const repeated = emailOf(notice('one'));
  const second = emailOf(notice('one'), 'dlv_2');
  t.is(first.messageId, repeated.messageId);
  t.not(first.messageId, second.messageId);
  t.deepEqual([first.threadId, second.threadId], ['inc_1', 'inc_1']);
});

const pageUrl = 'https://status.example/status/acme';
const unsubscribeUrl = `${pageUrl}/unsubscribe?token=a%2Bb%2Fc%3D`;

const markdown = `We **look** into it:

- the [runbook](https://example.com/runbook)
- \`restart\`

| Region | State |
| --- | --- |
| eu | down |

\`\`\`
kubectl ${'very-long-word-'.repeat(10)}
\`\`\``;

test('the text of an update email is the Markdown as it was posted, with the time in the zone of the page', t => {
  const email = emailOf(notice('Checkout fails', 'Acme & Sons', 'API', markdown));
  t.is(email.subject, '[Acme & Sons] Checkout fails');
  t.is(
    email.text,
    `Checkout fails

Identified · Major outage
Affected: API
Posted: 20 November 2026 at 13:01 CET

${markdown}

View the incident: ${pageUrl}/incidents/inc_1

-- 
You’re receiving this email because you subscribed to updates from Acme & Sons
${pageUrl}
Unsubscribe: ${unsubscribeUrl}`,
  );
});

test('the HTML of an update email has the state’s colour, a button, a preheader and styles inline', t => {
  const { html } = emailOf(notice('Checkout fails', 'Acme & Sons', 'API', markdown));
  t.is([...html.matchAll(/<td height="6"[^>]*background:#cf2a33/g)].length, 1);
  t.regex(html, /class="button" href="https:\/\/status\.example\/status\/acme\/incidents\/inc_1"[^>]*>View incident</);
  t.regex(html, /<div style="display:none[^>]*>Identified: We look into it: the runbook/);
  t.regex(html, /<pre style="[^"]*white-space:pre-wrap/);
  t.regex(html, /<td style="border:1px solid[^>]*>eu</);
  t.regex(html, /<a class="muted" href="https:\/\/status\.example\/status\/acme"[^>]*>Acme &amp; Sons</);
  t.true(html.includes(`href="${unsubscribeUrl}"`));
  t.true(html.includes('Posted: 20 November 2026 at 13:01 CET'));
  t.regex(html, /prefers-color-scheme:dark/);
  const { incident, update, page } = notice('Checkout fails');
  const resolved = emailOf({ incident, page, update: { ...update, state: 'resolved' } });
  t.regex(resolved.html, /<td height="6"[^>]*background:#188a55/);
});

test('an email is in the language of its page, dates included; the texts of operators are not translated', t => {
  const { page, ...rest } = notice('Checkout fails', 'Acme', 'API', 'A full disk.');
  const german = emailOf({ ...rest, page: { ...page, locale: 'de' } });
  t.is(
    german.text,
    `Checkout fails

Ursache gefunden · Schwerer Ausfall
Betroffen: API
Veröffentlicht: 20. November 2026 um 13:01 MEZ

A full disk.

Vorfall ansehen: ${pageUrl}/incidents/inc_1

-- 
Sie erhalten diese E-Mail, weil Sie die Meldungen von Acme abonniert haben
${pageUrl}
Abmelden: ${unsubscribeUrl}`,
  );
  t.regex(german.html, /<html lang="de" dir="ltr">/);
  const french = emailOf({ ...rest, page: { ...page, locale: 'fr' } });
  t.regex(french.text, /Cause identifiée · Panne majeure\nConcerne\u00a0: API\nPublié le 20 novembre 2026 à 13:01/);
  const confirmation = confirmationEmail({ name: 'Acme', slug: 'acme', locale: 'fr' }, baseUrl, recipient);
  t.is(confirmation.subject, 'Confirmez votre abonnement à une page d’état');
  t.true(confirmation.text.includes('«\u00a0Acme\u00a0»'));
  for (const email of [german, french, confirmation])
    t.notRegex([email.text, email.html].join('\n'), /You’re receiving|Unsubscribe|View|Confirm s|Status page/);
});

test('an update whose HTML is stored is not rendered again', t => {
  const { update, ...rest } = notice('Checkout fails', 'Acme', 'API', 'the text');
  const rendered = { html: '<h1>Stored</h1><p>html</p>', excerpt: 'the stored excerpt' };
  const { html, text } = emailOf({ ...rest, update: { ...update, rendered } });
  t.true(html.includes('<h2>Stored</h2><p style="margin:0 0 16px">html</p>'));
  t.true(html.includes('Identified: the stored excerpt'));
  t.true(text.includes('the text'));
});

test('an update is rendered once: the emails of two recipients differ by their links alone', t => {
  const compose = updateEmail(incidentNews(notice('Checkout fails'), baseUrl), baseUrl);
  const [ada, bob] = ['ada', 'bob'].map(token => compose({ to: `${token}@example.com`, token, deliveryId: token }));
  t.is(ada?.html.replaceAll('token=ada', 'token=bob'), bob?.html);
  t.is(ada?.unsubscribeUrl, `${pageUrl}/unsubscribe?token=ada`);
  t.is(ada?.listId, 'sp-1');
});

test('an incident without components names none in its email', t => {
  const { incident, ...rest } = notice('Checkout fails');
  const email = emailOf({ ...rest, incident: { ...incident, components: [] } });
  t.false(email.text.includes('Affected') || email.html.includes('Affected'));
});

test('markup in a title or a body is text in the HTML, and links lead to http, https or mail only', t => {
  const body = 'We **look** <img src=x onerror=alert(1)>\n\n[here](javascript:alert(1))';
  const email = emailOf(notice('Checkout <b>fails</b>', 'Acme', 'API', body));
  t.true(email.text.includes('Checkout <b>fails</b>') && email.text.includes('We **look**'));
  t.true(email.html.includes('Checkout &lt;b&gt;fails&lt;/b&gt;') && email.html.includes('<strong>look</strong>'));
  t.false(/<img|<b>|href="javascript/i.test(email.html));
});

test('no script in a title, a name or a body comes alive in an email', t => {
  for (const payload of scriptPayloads) {
    const html = emailOf(notice(payload, payload, payload, payload)).html.replace(/<style>.*?<\/style>/s, '');
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

test('the text of a confirmation email', t => {
  const email = confirmationEmail({ name: 'Acme', slug: 'acme', locale: 'en' }, baseUrl, recipient);
  t.deepEqual(
    [email.subject, email.fromName],
    ['Confirm your subscription to a status page', 'Status page notifications'],
  );
  t.is(
    email.text,
    `Confirm your subscription

Someone, hopefully you, asked to receive updates from “Acme” at this address.

Once you confirm, you’ll receive each incident and maintenance update by email. The link is valid for 7 days.

Confirm subscription: ${pageUrl}/confirm?token=a%2Bb%2Fc%3D

If you didn’t request this, you can ignore this email: you won’t be subscribed unless you confirm.

${pageUrl}`,
  );
  t.regex(email.html, /class="button" href="[^"]*confirm\?token=a%2Bb%2Fc%3D"[^>]*>Confirm subscription</);
  t.deepEqual([email.unsubscribeUrl, email.threadId, email.listId], [null, null, null]);
});

const names: [name: string, quoted: string][] = [
  ['Acme & Sons', '“Acme & Sons”'],
  ['Your invoice is due: evil.example/pay', '“Your invoice is due: …”'],
  ['pay at https://evil.example now', '“pay at … now”'],
  ['write to me@evil.example', '“write to …”'],
  ['x'.repeat(200), `“${'x'.repeat(59)}…”`],
  ['🔥'.repeat(100), `“${'🔥'.repeat(59)}…”`],
  ['a\r\nBcc: b', '“a Bcc: b”'],
];
for (const [name, quoted] of names)
  test(`in a confirmation the name ${JSON.stringify(name.slice(0, 40))} has no link and no address`, t => {
    t.is(quotedName(name, '“{name}”'), quoted);
  });

test('no name of a page makes a link or an address in a confirmation', t => {
  const part = fc.constantFrom('a', '.', '@', '://', 'http', ' ', 'www', '…', '\n', 'é');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), parts => {
      const quoted = quotedName(parts.join(''), '“{name}”');
      return !/@|:\/\/|\S\.\p{L}/u.test(quoted) && Array.from(quoted).length <= 62;
    }),
  );
  t.pass();
});

test('every email says email, never mail', t => {
  const confirmation = confirmationEmail({ name: 'Acme', slug: 'acme', locale: 'en' }, baseUrl, recipient);
  for (const { subject, text, html } of [emailOf(notice('Checkout fails')), confirmation])
    t.notRegex([subject, text, html].join('\n').replaceAll('mailto:', ''), /\bmails?\b/i);
});
