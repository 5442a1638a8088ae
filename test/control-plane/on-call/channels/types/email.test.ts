import test from 'ava';
import { alertEmail } from '#control-plane/on-call/channels/types/email/alert-email.ts';
import { sampleAlert } from '#control-plane/on-call/channels/types/http/sample.ts';
import { acknowledgeUrl, messageAt, messageNamed } from '#test/support/channel-message.ts';

const emailOf = (message = messageAt('opened')) => alertEmail(message, 'ada@example.com', 'dlv_1');
const url = `https://up.example/#/alerts/${sampleAlert.id}`;

test('an email about an alert has the project’s name, the title, what is known, and where to look', t => {
  const { html, text, ...rest } = emailOf();
  t.deepEqual(rest, {
    to: 'ada@example.com',
    fromName: 'Shop',
    subject: '[Shop] Checkout is down',
    messageId: 'dlv_1',
    threadId: 'agp_1',
    listId: null,
    unsubscribeUrl: null,
  });
  const [title, lines, links, why] = text.split('\n\n');
  t.deepEqual([title, lines], ['Checkout is down', messageAt('opened').lines.join('\n')]);
  t.is(links, `View: ${url}\nAcknowledge: ${acknowledgeUrl}`);
  t.regex(why ?? '', /^-- \nYou’re receiving this email because alerts of the project Shop are sent to this address/);
  for (const part of ['Checkout is down', 'P1', url, acknowledgeUrl, 'class="frame"'])
    t.true(html.includes(part), part);
});

test('what is over has no button to acknowledge, and what is no alert has no severity', t => {
  const over = emailOf(messageAt('resolved'));
  t.false(over.text.includes('Acknowledge') || over.html.includes('Acknowledge'));
  const notice = emailOf(messageAt('notice', { group: null, members: [], title: 'Region eu-west is silent' }));
  t.is(notice.subject, '[Shop] Region eu-west is silent');
  t.false(notice.html.includes('>P1<'));
  t.true(emailOf().html.includes('>P1<'));
});

const names: readonly [name: string, subject: string][] = [
  ['a\r\nBcc: eve@example.com', '[a Bcc: eve@example.com] a Bcc: eve@example.com'],
  ['\u202egnp.exe', '[gnp.exe] gnp.exe'],
  ['a\u0000b', '[a b] a b'],
  ['x'.repeat(400), `[${'x'.repeat(59)}…] ${'x'.repeat(249)}…`],
];
for (const [name, subject] of names)
  test(`a name such as ${JSON.stringify(name).slice(0, 40)} makes one line of a subject`, t => {
    const email = emailOf(messageNamed('opened', name));
    t.is(email.subject, subject);
    t.false(/[\r\n]/.test(email.fromName));
  });

test('markup in a name is text in the email', t => {
  const { html, text } = emailOf(messageNamed('acknowledged', '<img src=x onerror=alert(1)> & "a"'));
  t.false(html.includes('<img src=x'));
  t.true(html.includes('&lt;img src=x onerror=alert(1)&gt; &amp; '));
  t.true(text.includes('By <img src=x onerror=alert(1)> & "a"'));
});
