import { type ChildProcess, spawn } from 'node:child_process';
import { errorCode } from '#shared/error-code.ts';
import { type SourceAddresses, sourceFor } from '../../egress/source.ts';
import type { PingLimit } from './ping-limit.ts';

/** How an agent pings: the program of the host, found by `path`, with the interval in seconds that it takes. */
export type PingTools = Readonly<{
  path: string;
  interval: '0.2' | '1';
  limit: PingLimit;
  source?: SourceAddresses | undefined;
}>;

/** What the program printed; `code` is that of the system if it could not be started. */
export type PingOutput = Readonly<{ stdout: string; stderr: string; code: string | null }>;

const outputBytesMax = 65_536;

/**
 * Runs the system's `ping` without a shell and kills it after `limitMs`, or once it printed more than 64 KiB. Never
 * rejects. `address` is a literal that the guard allowed.
 */
export function runPing(
  { path, interval, source }: Pick<PingTools, 'path' | 'interval' | 'source'>,
  address: string,
  count: number,
  limitMs: number,
): Promise<PingOutput> {
  const { promise, resolve } = Promise.withResolvers<PingOutput>();
  const seconds = Math.max(1, Math.floor(limitMs / 1000));
  const from = sourceFor(address, source);
  const options = [
    '-n',
    '-c',
    String(count),
    '-i',
    interval,
    '-w',
    String(seconds),
    ...(from === undefined ? [] : ['-I', from]),
    address,
  ];
  // LC_ALL: its words are read here.
  const child = spawn('ping', options, { env: { LC_ALL: 'C', PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = (code: string | null) => {
    clearTimeout(timer);
    stop(child);
    resolve({ stdout: stdout(), stderr: stderr(), code });
  };
  const [stdout, stderr] = [collect(child.stdout, () => end(null)), collect(child.stderr, () => end(null))];
  const timer = setTimeout(() => end(null), limitMs);
  child.on('error', error => end(errorCode(error) ?? 'EUNKNOWN'));
  child.on('close', () => end(null));
  return promise;
}

/** Also closes its pipes, which others may still hold open. */
function stop(child: ChildProcess): void {
  child.kill('SIGKILL');
  child.stdout?.destroy();
  child.stderr?.destroy();
}

function collect(stream: NodeJS.ReadableStream, onTooMuch: () => void): () => string {
  let text = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    text = Buffer.concat([text, chunk.subarray(0, outputBytesMax - text.length)]);
    if (text.length === outputBytesMax) onTooMuch();
  });
  return () => text.toString();
}
