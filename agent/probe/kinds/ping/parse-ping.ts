import type { PingFacts } from '#shared/checks/facts.ts';

/** A reply of iputils, which counts from 1, or of BusyBox, which counts from 0. */
const reply = /^\d+ bytes from .*?\b(icmp_)?seq=(\d+)\b.*? time[=<]([\d.]+) ?ms/gm;
const transmitted = /^(\d+) packets transmitted/m;
const routersWords = /^From (\S+?):? icmp_seq=\d+ (.+)$/m;
const busyBoxWarning = /got ICMP \d+ \((.+)\)/;
const messageMax = 200;

/** The figures of the first `count` packets: while some are lost, iputils sends more than it was asked for. */
export function readFigures(stdout: string, count: number): PingFacts {
  const times = new Map<number, number>();
  for (const [, prefix, sequence, time] of stdout.matchAll(reply)) {
    const index = Number(sequence) - (prefix === undefined ? 0 : 1);
    if (index >= 0 && index < count && !times.has(index)) times.set(index, Number(time));
  }
  const replies = [...times].toSorted(([one], [other]) => one - other).map(([, time]) => time);
  const sent = Math.min(count, Number(transmitted.exec(stdout)?.[1] ?? count));
  return { sent: Math.max(sent, replies.length), received: replies.length, ...spread(replies) };
}

/** Why there is no reply, in the words of a router, of the system or of the program; null if it does not say. */
export function readReason(stdout: string, stderr: string): string | null {
  const [, router, words] = routersWords.exec(stdout) ?? [];
  if (words !== undefined) return shown(`${words} (from ${router})`);
  const warning = busyBoxWarning.exec(stderr)?.[1];
  if (warning !== undefined) return shown(warning);
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return line === '' ? null : shown(line.replace(/^\S*ping6?: /, ''));
}

function spread(replies: readonly number[]): Omit<PingFacts, 'sent' | 'received'> {
  if (replies.length === 0) return { min_ms: null, avg_ms: null, max_ms: null, jitter_ms: null };
  const steps = replies.slice(1).map((time, index) => Math.abs(time - (replies[index] ?? 0)));
  return {
    min_ms: Math.min(...replies),
    avg_ms: rounded(mean(replies)),
    max_ms: Math.max(...replies),
    jitter_ms: steps.length === 0 ? null : rounded(mean(steps)),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function shown(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ').slice(0, messageMax);
}
