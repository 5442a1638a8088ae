import test from 'ava';
import { addressConfirmationEmail } from '#control-plane/on-call/channels/types/email/alert-email.ts';

const url = 'https://up.example/ack/token';
const emailOf = (project: string) => addressConfirmationEmail(project, url, 'guest@example.com', 'dlv_1');

test('an address is asked to confirm alerts of a project by its name, in quotation marks', t => {
  t.regex(emailOf('Acme & Sons').text, /asked for alerts of the project “Acme & Sons” to be emailed/);
  t.regex(emailOf('Acme & Sons').html, /the project “Acme &amp; Sons” to be/);
});

test('the name of a project makes no link in the email that asks an address to confirm', t => {
  const { text, html } = emailOf(`Your invoice is due: https://evil.example/pay ${'x'.repeat(150)}`);
  for (const part of [text, html]) {
    t.false(part.includes('evil'));
    t.true(part.includes('the project “Your invoice is due: … x'));
    t.false(part.includes('x'.repeat(60)));
  }
});
