import { z } from 'zod';
import { addressFactsSchema } from './addresses.ts';
import { diagnosisFactsSchema } from './diagnosis.ts';
import { stepFactsSchema } from './step-facts.ts';
import {
  grpcCodeMax,
  messagesMax,
  servingStatuses,
  spokenVersions,
  stepsMax,
  subprotocolLengthMax,
} from './vocabulary.ts';

/** Most bytes of the facts of a result, as JSON. */
export const factsBytesMax = 8192;
/** Most records and servers of a DNS answer that a result holds. */
export const answersMax = 50;
const serversMax = 8;

const server = z.string().max(320);
const rcode = z.string().max(32);

export const dnsFactsSchema = z.object({
  server: server.describe('Server that answered, with its port.'),
  rcode,
  answers: z
    .array(
      z.object({
        name: z.string().max(1024),
        type: z.string().max(16),
        ttl: z.int().min(0).max(4_294_967_295),
        data: z.string().max(4096),
      }),
    )
    .max(answersMax),
  truncated: z.boolean().describe('Whether there were more records than are kept.'),
  servers: z
    .array(z.object({ server, rcode: rcode.nullable(), agrees: z.boolean() }))
    .max(serversMax)
    .describe('Answers of the servers in `agree_with`.'),
});
export type DnsFacts = z.infer<typeof dnsFactsSchema>;

const ms = z.number().min(0).max(86_400_000);
const packets = z.int().min(0).max(10);

export const pingFactsSchema = z.object({
  sent: packets,
  received: packets,
  min_ms: ms.nullable(),
  avg_ms: ms.nullable(),
  max_ms: ms.nullable(),
  jitter_ms: ms.nullable().describe('Mean difference of neighbouring replies; null with fewer than two.'),
});
export type PingFacts = z.infer<typeof pingFactsSchema>;

export const grpcFactsSchema = z.object({
  status: z.enum(servingStatuses).nullable().describe('What the service said; null if it answered with an error.'),
  code: z.int().min(0).max(grpcCodeMax).describe('Status code of gRPC.'),
});
export type GrpcFacts = z.infer<typeof grpcFactsSchema>;

export const websocketFactsSchema = z.object({
  subprotocol: z.string().max(subprotocolLengthMax).nullable().describe('Subprotocol that the server chose.'),
  messages: z.int().min(0).max(messagesMax).describe('Messages that came.'),
});
export type WebsocketFacts = z.infer<typeof websocketFactsSchema>;

/** Longest text of a registry that a result holds: the name of a registrar. */
export const domainTextMax = 200;
export const statusTextMax = 64;
export const statusesMax = 20;

export const domainFactsSchema = z.object({
  name: z.string().max(253).describe('The registrable name that was looked up.'),
  registrar: z.string().max(domainTextMax).nullable(),
  statuses: z.array(z.string().max(statusTextMax)).max(statusesMax).describe('As the registry calls them, sorted.'),
  ends_at: z.string().max(32).nullable().describe('End of the registration; null if the registry does not say.'),
  registered_at: z.string().max(32).nullable(),
  server: z.string().max(320).nullable().describe('Server that answered.'),
});
export type DomainFacts = z.infer<typeof domainFactsSchema>;

const certificateText = z.string().max(256);

/** The certificate of a client that its checks show. */
const clientCertificateSchema = z.object({
  valid_from: z.string().max(32),
  valid_to: z.string().max(32),
  issuer: certificateText,
  subject: certificateText,
  fingerprint_sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ClientCertificate = z.infer<typeof clientCertificateSchema>;

/** What a check saw beside what every result has. */
export const factsSchema = z
  .object({
    dns: dnsFactsSchema.optional(),
    ping: pingFactsSchema.optional(),
    grpc: grpcFactsSchema.optional(),
    websocket: websocketFactsSchema.optional(),
    steps: z.array(stepFactsSchema).max(stepsMax).optional(),
    diagnosis: diagnosisFactsSchema.optional(),
    http_version: z.enum(spokenVersions).optional().describe('version of the last response'),
    addresses: addressFactsSchema.optional().describe('the newest round over all addresses of the name'),
    client_certificate: clientCertificateSchema.optional().describe('what the check has for hosts that ask for one'),
  })
  .refine(
    facts => Buffer.byteLength(JSON.stringify(facts)) <= factsBytesMax,
    `must have at most ${factsBytesMax} bytes`,
  );
export type Facts = z.infer<typeof factsSchema>;

export const signalTypes = ['success', 'start', 'fail', 'log'] as const;
export type SignalType = (typeof signalTypes)[number];
export const signalSources = ['hb', 'healthchecks', 'kuma'] as const;

export const signalSchema = z.object({
  type: z.enum(signalTypes),
  exit_code: z.int().min(0).max(255).nullable(),
  run_seconds: z.number().min(0).nullable().describe('Seconds since the start of the run; null without one.'),
  rid: z.string().max(36).nullable().describe('ID of the run that the sender gave.'),
  source: z.enum(signalSources).describe('Form of the address.'),
});
export type SignalFacts = z.infer<typeof signalSchema>;
export const signalFactsSchema = z.object({ signal: signalSchema });

export const measuredSchema = z.object({
  value: z.number().nullable().describe('What is compared; null if nothing can be said.'),
  sample: z.int().nullable().describe('What `min_sample` is compared with; null if it was not counted.'),
  base: z.number().nullable().describe('The value of a week before, by which it was divided; null without `against`.'),
});
export type MeasuredFacts = z.infer<typeof measuredSchema>;

/** With what the control plane finds itself. */
export type StoredFacts = Facts & {
  signal?: SignalFacts | undefined;
  domain?: DomainFacts | undefined;
  measured?: MeasuredFacts | undefined;
};
