import { once } from 'node:events';
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import got, { type Request, RequestError, TimeoutError } from 'got';
import { type AddressPolicy, isAllowed } from '#shared/network/guard.ts';
import { ResolveError, type Resolver } from '#shared/network/resolver.ts';

/** A request to an address that a customer configured. */
export type OutboundRequest = {
  url: string;
  /** POST unless it says PUT. */
  method?: 'POST' | 'PUT';
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Most bytes of the response body to read; the rest is discarded. */
  bodyBytesMax: number;
};

/** A request for a document. `timeoutMs` includes the reading of the body. */
export type OutboundQuery = {
  url: string;
  headers: Readonly<Record<string, string>>;
  bodyBytesMax: number;
  timeoutMs: number;
};

export type OutboundAnswer = { status: number; headers: Readonly<Record<string, unknown>>; body: string };

/**
 * Posts through the guard: never to an address that the policy refuses, without redirects, within ten seconds.
 * Throws `OutboundError`.
 */
export type Outbound = { post(request: OutboundRequest): Promise<OutboundAnswer> };

/** Fetches through the same guard; a redirect is returned, not followed. Throws `OutboundError`. */
export type OutboundReader = { get(query: OutboundQuery): Promise<OutboundAnswer> };

export type OutboundFault = 'blocked_address' | 'dns_failure' | 'timeout' | 'tls_error' | 'connect_failed';

const sentences: Readonly<Record<OutboundFault, string>> = {
  blocked_address: 'the address is not allowed',
  dns_failure: 'the host name could not be resolved',
  timeout: 'no response within ten seconds',
  tls_error: 'the TLS handshake failed',
  connect_failed: 'the connection failed',
};

/** Why there is no response. The message never contains the URL: it may carry a secret. */
export class OutboundError extends Error {
  override name = 'OutboundError';
  readonly code: OutboundFault;
  constructor(code: OutboundFault) {
    super(sentences[code]);
    this.code = code;
  }
}

const deadlineMs = 10_000;

/** Makes a client without connection reuse, so there is nothing to close. */
export function createOutbound(options: {
  resolver: Resolver;
  policy: AddressPolicy;
  userAgent: string;
}): Outbound & OutboundReader {
  const guard = guardOf(options.resolver, options.policy);
  const client = got.extend({
    agent: { http: guarded(new HttpAgent(), guard), https: guarded(new HttpsAgent(), guard) },
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    decompress: false,
    timeout: { request: deadlineMs },
    headers: { 'user-agent': options.userAgent, 'accept-encoding': 'identity' },
  });
  const exchange = async (stream: Request, bodyBytesMax: number): Promise<OutboundAnswer> => {
    // The stream is destroyed once enough was read; errors after that do not matter.
    stream.on('error', () => {});
    try {
      const [response] = (await once(stream, 'response')) as [
        { statusCode: number; headers: OutboundAnswer['headers'] },
      ];
      const text = bodyBytesMax === 0 ? '' : await readUpTo(stream, bodyBytesMax);
      return { status: response.statusCode, headers: response.headers, body: text };
    } catch (error) {
      throw new OutboundError(faultOf(error));
    } finally {
      stream.destroy();
    }
  };
  return {
    post: ({ url, method = 'POST', headers, body, bodyBytesMax }) =>
      exchange(client.stream(url, { method, headers, body }), bodyBytesMax),
    get: ({ url, headers, bodyBytesMax, timeoutMs }) =>
      exchange(client.stream(url, { method: 'GET', headers, timeout: { request: timeoutMs } }), bodyBytesMax),
  };
}

type Guard = { allows(address: string): boolean; lookup: LookupFunction };

function guardOf(resolver: Resolver, policy: AddressPolicy): Guard {
  const allows = (address: string) => isAllowed(address, policy);
  return {
    allows,
    lookup: (name, options, callback) => {
      resolver.resolve(name).then(
        found => {
          const allowed = found.filter(allows).map(address => ({ address, family: isIP(address) }));
          const first = allowed[0];
          if (first === undefined) return callback(new OutboundError('blocked_address'), '', 0);
          if (options.all === true) return callback(null, allowed);
          callback(null, first.address, first.family);
        },
        error => callback(error as Error, '', 0),
      );
    },
  };
}

/** IP literals are never looked up, so they are checked before connecting; the remote address is checked after. */
function guarded<Agent extends HttpAgent>(agent: Agent, guard: Guard): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options: ClientRequestArgs, callback) => {
    const host = (options.host ?? '').replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !guard.allows(host)) throw new OutboundError('blocked_address');
    const socket = connect({ ...options, lookup: guard.lookup }, callback) as Socket;
    socket.prependOnceListener('connect', () => {
      if (!guard.allows(socket.remoteAddress ?? '')) socket.destroy(new OutboundError('blocked_address'));
    });
    return socket;
  };
  return agent;
}

async function readUpTo(stream: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}

function faultOf(error: unknown): OutboundFault {
  const cause = error instanceof RequestError && error.cause !== undefined ? error.cause : error;
  if (cause instanceof OutboundError) return cause.code;
  if (cause instanceof ResolveError) return 'dns_failure';
  if (error instanceof TimeoutError) return 'timeout';
  const code = String((cause as { code?: unknown }).code ?? '');
  return /CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(code) ? 'tls_error' : 'connect_failed';
}
