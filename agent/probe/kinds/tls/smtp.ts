import { expectCode } from './coded-reply.ts';
import type { Talk } from './talk.ts';

/** RFC 3207. */
export async function talkSmtp(talk: Talk): Promise<void> {
  await expectCode('220', 'SMTP', talk);
  talk.send('EHLO upquorum.invalid\r\n');
  await expectCode('250', 'SMTP', talk);
  talk.send('STARTTLS\r\n');
  await expectCode('220', 'SMTP', talk);
}
