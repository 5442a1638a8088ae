import { errorCode } from '#shared/error-code.ts';
import { ExchangeError } from '../../http/exchange.ts';
import { ProbeRefusal } from '../../probe-refusal.ts';

const handshakeWords: Readonly<Record<string, string>> = {
  'Invalid Upgrade header': 'the answer does not upgrade to WebSocket',
  'Invalid Sec-WebSocket-Accept header': 'the answer is not to this handshake (Sec-WebSocket-Accept)',
  'Server sent a subprotocol but none was requested': 'the server chose a subprotocol although none was offered',
  'Server sent an invalid subprotocol': 'the server chose a subprotocol that was not offered',
  'Server sent no subprotocol': 'the server chose none of the subprotocols',
};

/** What a failure of `ws` says about the target; it knows none of the target's words. */
export function failureOf(error: Error): Error {
  const code = errorCode(error);
  if (code === null)
    return new ProbeRefusal('protocol_error', handshakeWords[error.message] ?? 'the handshake is not valid');
  if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH')
    return new ProbeRefusal('body_too_large', 'a message is larger than 256 KiB');
  if (!code.startsWith('WS_ERR')) return new ExchangeError(code);
  const words = code.slice('WS_ERR_'.length).replaceAll('_', ' ').toLowerCase();
  return new ProbeRefusal('protocol_error', `the messages are not valid WebSocket (${words})`);
}
