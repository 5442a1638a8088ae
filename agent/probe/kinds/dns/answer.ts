import type { Endpoint } from './endpoint.ts';
import type { Message } from './read-message.ts';
import type { TcpOptions } from './tcp.ts';

export type AskOptions = TcpOptions &
  Readonly<{
    limitMs: number;
    /** When the event that is handled now was received, by the monotonic clock. */
    eventMs: () => number;
    /** Nobody waits any more. */
    signal: AbortSignal;
  }>;

/** What a server answered, how many bytes that took, and when they were there, by the monotonic clock. */
export type Answer = Readonly<{ message: Message; endpoint: Endpoint; bytes: number; atMs: number }>;
