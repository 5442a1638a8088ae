import { openRaw, type RawConnection } from '../../support/raw-connection.ts';
import type { Attack } from './attack.ts';

const connections = 8;
const size = 15_800;
const names = ['Accept-Encoding', 'Accept', 'If-None-Match', 'Authorization', 'Cookie', 'Content-Type', 'Origin'];

/** H1: 16 KB of one odd byte in the path and in each header, without a token, on eight connections at once. */
export const sendOddBytes: Attack = async ({ port, slug }, tally, signal, begun) => {
  const heads = [' ', '\t', '/', ',', ';', '"', '=', '.', 'W/'].flatMap(byte => {
    const run = byte.repeat(Math.floor(size / byte.length));
    const head = (path: string, header: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
    const inPath = /[ \t]/.test(byte) ? [] : [head(`/status/${run}a/`, ''), head(`/v0/${run}x`, '')];
    const inHeaders = ['/', `/status/${slug}`, '/v0/project'].flatMap(path =>
      names.map(name => head(path, `${name}: a${run}b\r\n`)),
    );
    return [...inPath, ...inHeaders];
  });
  begun();
  const send = async (first: number): Promise<void> => {
    let connection: RawConnection | null = null;
    for (let next = first; !signal.aborted; next++) {
      try {
        if (connection === null || !connection.open) connection = await openRaw(port);
        const answer = await connection.exchange(heads[next % heads.length] ?? '');
        tally(answer?.status ?? 'closed');
      } catch {
        connection = null;
        tally('broken');
      }
    }
    await connection?.[Symbol.asyncDispose]();
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => send(index * 7)));
};
