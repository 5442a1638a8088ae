import { foreign, refused } from './refusal.ts';
import type { Talk } from './talk.ts';

/**
 * Reads a reply of SMTP or FTP, of one line or of several up to one that begins with the same code and a space. Throws
 * a ProbeRefusal if its code is another.
 */
export async function expectCode(code: string, protocol: string, talk: Talk): Promise<void> {
  let line = await talk.line();
  const [, found, mark] = /^([1-5]\d\d)(?:([ -]).*)?$/s.exec(line) ?? [];
  if (found === undefined) throw foreign(protocol);
  if (mark === '-') while (!(line.startsWith(`${found} `) || line === found)) line = await talk.line();
  if (found !== code) throw refused(line);
}
