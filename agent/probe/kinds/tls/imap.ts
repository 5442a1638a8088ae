import { foreign, refused } from './refusal.ts';
import type { Talk } from './talk.ts';

/** RFC 9051. */
export async function talkImap(talk: Talk): Promise<void> {
  const greeting = await talk.line();
  if (/^\* BYE\b/i.test(greeting)) throw refused(greeting);
  if (!/^\* (?:OK|PREAUTH)\b/i.test(greeting)) throw foreign('IMAP');
  talk.send('a STARTTLS\r\n');
  let line = await talk.line();
  while (line.startsWith('* ')) line = await talk.line();
  if (/^a (?:NO|BAD)\b/i.test(line)) throw refused(line);
  if (!/^a OK\b/i.test(line)) throw foreign('IMAP');
}
