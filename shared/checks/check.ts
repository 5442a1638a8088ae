import { z } from 'zod';
import { stepSchema } from './steps.ts';
import {
  dnsTransports,
  pingCount,
  starttlsProtocols,
  stepsMax,
  subprotocolLengthMax,
  subprotocolsMax,
} from './vocabulary.ts';

// What an agent gets of a monitor that is not of kind `http`: its URL taken apart and its own object, as one tagged
// object, so that the two cannot contradict each other.

const host = z.string().min(1).max(253);
const port = z.int().min(1).max(65_535);

const tcp = z.object({
  kind: z.literal('tcp'),
  host,
  port,
  send: z.string().max(1024).nullable(),
  read: z.boolean().describe('wait for at least one byte of an answer'),
});
export type TcpCheck = z.infer<typeof tcp>;

const tls = z.object({ kind: z.literal('tls'), host, port, starttls: z.enum(starttlsProtocols).nullable() });
export type TlsCheck = z.infer<typeof tls>;

const dnsServer = z.object({ host, port });
export type DnsServer = z.infer<typeof dnsServer>;

const dns = z.object({
  kind: z.literal('dns'),
  server: dnsServer.nullable().describe('null: those of the agent’s `DNS_CHECK_SERVERS`'),
  name: z.string().min(1).max(253),
  type: z.string().min(1).max(10),
  transport: z.enum(dnsTransports),
  recursion: z.boolean(),
  agree_with: z.array(dnsServer).max(7),
});
export type DnsCheck = z.infer<typeof dns>;

const ping = z.object({ kind: z.literal('ping'), host, count: z.int().min(pingCount.min).max(pingCount.max) });
export type PingCheck = z.infer<typeof ping>;

const grpc = z.object({
  kind: z.literal('grpc'),
  secure: z.boolean().describe('`grpcs`: with TLS'),
  host,
  port,
  service: z.string().max(200).describe('empty: the server as a whole'),
});
export type GrpcCheck = z.infer<typeof grpc>;

const websocket = z.object({
  kind: z.literal('websocket'),
  secure: z.boolean().describe('`wss`: with TLS'),
  host,
  port,
  path: z.string().min(1).max(2048),
  subprotocols: z.array(z.string().max(subprotocolLengthMax)).max(subprotocolsMax),
  send: z.string().max(4096).nullable(),
  read: z.boolean().describe('wait for a message'),
});
export type WebsocketCheck = z.infer<typeof websocket>;

const multistep = z.object({ kind: z.literal('multistep'), steps: z.array(stepSchema).min(1).max(stepsMax) });
export type MultistepCheck = z.infer<typeof multistep>;

export const checkSchema = z.discriminatedUnion('kind', [tcp, tls, dns, ping, grpc, websocket, multistep]);
/** A check that is not one HTTP request. */
export type Check = z.infer<typeof checkSchema>;
