import type { Socket } from 'node:net';
import type { StarttlsProtocol } from '#shared/checks/vocabulary.ts';
import type { Deadline } from '../../deadline.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { talkFtp } from './ftp.ts';
import { talkImap } from './imap.ts';
import { talkLdap } from './ldap.ts';
import { talkPop3 } from './pop3.ts';
import { talkPostgres } from './postgres.ts';
import { talkSmtp } from './smtp.ts';
import { Talk } from './talk.ts';

/** Each asks a server for TLS and returns once it agreed. */
const talks: Record<StarttlsProtocol, (talk: Talk) => Promise<void>> = {
  smtp: talkSmtp,
  imap: talkImap,
  pop3: talkPop3,
  ftp: talkFtp,
  ldap: talkLdap,
  postgres: talkPostgres,
};

/** The talk until the server is ready for a handshake. Rejects with ProbeRefusal, ExchangeError or DeadlineError. */
export async function startTalk(protocol: StarttlsProtocol, socket: Socket, deadline: Deadline): Promise<void> {
  using talk = new Talk(socket, deadline);
  await talks[protocol](talk);
  // Whoever stands in between could add words in clear text that would be taken for words of the secure connection.
  if (talk.hasMore) throw new ProbeRefusal('protocol_error', 'more came in clear text after the server agreed to TLS');
}
