import { expectCode } from './coded-reply.ts';
import type { Talk } from './talk.ts';

/** RFC 4217. */
export async function talkFtp(talk: Talk): Promise<void> {
  await expectCode('220', 'FTP', talk);
  talk.send('AUTH TLS\r\n');
  await expectCode('234', 'FTP', talk);
}
