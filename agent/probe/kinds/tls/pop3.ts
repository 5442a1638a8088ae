import { foreign, refused } from './refusal.ts';
import type { Talk } from './talk.ts';

/** RFC 2595. */
export async function talkPop3(talk: Talk): Promise<void> {
  await expectOk(talk);
  talk.send('STLS\r\n');
  await expectOk(talk);
}

async function expectOk(talk: Talk): Promise<void> {
  const line = await talk.line();
  if (/^-ERR\b/i.test(line)) throw refused(line);
  if (!/^\+OK\b/i.test(line)) throw foreign('POP3');
}
