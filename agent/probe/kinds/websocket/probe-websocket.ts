import type { WebsocketCheck } from '#shared/checks/check.ts';
import { addTiming, type ProbeOutcome } from '../../attempt.ts';
import { connect, hostAndPort } from '../../connect.ts';
import { headerText } from '../../http/header-text.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';
import { type KindAttempt, type KindProbe, plainResponse } from '../kind.ts';
import { findMessage, isOfMessage } from './find-message.ts';
import type { Message } from './inbox.ts';
import { type Opened, openWebsocket } from './open-websocket.ts';

/** Makes the handshake, sends what is to be sent and, if asked to, waits for a message. */
export const probeWebsocket: KindProbe<WebsocketCheck> = async (check, attempt) => {
  const { deadline, outcome } = attempt;
  const opened = await open(check, attempt);
  const { websocket, inbox, subprotocol, openedMs } = opened;
  const headers = headersOf(opened);
  try {
    if (check.send !== null) websocket.send(check.send);
    if (!check.read && !attempt.assertions.some(isOfMessage)) {
      noteMessage(opened, null, outcome);
      outcome.response = plainResponse({ headers });
      return openedMs;
    }
    outcome.phase = 'answer';
    outcome.facts = { websocket: { subprotocol, messages: 0 } };
    // What came until then counts.
    deadline.onExpiry(() => inbox.end());
    const message = await findMessage(inbox, attempt).finally(() => noteMessage(opened, null, outcome));
    if (message === null) throw new ProbeRefusal('no_reply', 'the handshake succeeded, but no message came');
    noteMessage(opened, message, outcome);
    outcome.response = plainResponse({ headers, bodyText: message.text });
    return check.read ? message.atMs : openedMs;
  } finally {
    inbox.end();
    websocket.close(1000);
  }
};

async function open(check: WebsocketCheck, { egress, tools, deadline, outcome, takeBytes, headers }: KindAttempt) {
  const { host, port, secure, path, subprotocols } = check;
  const { socket } = await connect({ host, port, secure }, egress, tools, deadline, outcome);
  outcome.phase = 'handshake';
  const startedMs = performance.now();
  const isUsual = port === (secure ? 443 : 80);
  const named = isUsual ? hostAndPort(host, port).slice(0, -`:${port}`.length) : hostAndPort(host, port);
  const handshake = { host: named, path, subprotocols, headers };
  const eventMs = () => Math.max(startedMs, tools.standStill.eventMs());
  const onStatus = (status: number) => {
    if (status >= 100 && status <= 999) outcome.statusCode = status;
    outcome.refusesToken = status === 401;
  };
  const opened = await openWebsocket(socket, handshake, { takeBytes, eventMs, onStatus }, deadline);
  addTiming(outcome.timings, 'first_byte_ms', opened.openedMs - startedMs);
  return opened;
}

function noteMessage({ inbox, subprotocol, openedMs }: Opened, message: Message | null, outcome: ProbeOutcome): void {
  outcome.bytes = inbox.bytes;
  outcome.facts = { websocket: { subprotocol, messages: inbox.count } };
  if (message !== null) addTiming(outcome.timings, 'download_ms', message.atMs - openedMs);
}

/** By name in lower case. */
function headersOf({ headers }: Opened): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase() ?? '';
    byName.set(name, [...(byName.get(name) ?? []), headerText(headers[at + 1] ?? '')]);
  }
  return byName;
}
