import { z } from 'zod';
import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';
import { headersSchema } from '../secrets/header-rules.ts';
import type { Kind } from './kind.ts';
import { endpointOf, hostUrlError, targetOf } from './target.ts';

const serviceBytesMax = 200;
/** What the call itself sets, beside what no header may. */
const ofCall = new Set(['host', 'content-type', 'content-encoding', 'accept-encoding']);

const metadata = headersSchema.superRefine((fields, context) => {
  for (const name of Object.keys(fields)) {
    const refuse = (code: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], params: { code }, message });
    if (name !== name.toLowerCase()) refuse('format', 'must have a name in lower case');
    else if (name.startsWith('grpc-') || ofCall.has(name)) refuse('not_allowed', 'is set by the call');
    else if (name.endsWith('-bin')) refuse('not_allowed', 'would have a binary value');
  }
});

const own = z
  .object({
    service: bytesAtMost(serviceBytesMax)
      .default('')
      .describe('Service whose health is asked for; empty: that of the server as a whole.'),
    metadata: metadata.default({}).describe('Metadata of the call, whose values are shown as those of headers are.'),
  })
  .meta({ title: 'GrpcCheck' });
export type GrpcSettings = z.output<typeof own>;

export const grpc: Kind<GrpcSettings> = {
  kind: 'grpc',
  schemes: ['grpc:', 'grpcs:'],
  own,
  intervalMin: 10,
  intervalMax: 86_400,
  withoutAgents: null,
  assertions: ['grpc_status', 'tls_version', 'addresses'],
  hasCertificate: true,
  egress: 'whole',
  takesAuth: true,
  takesHttpVersion: false,
  encodedUrl: url => url.trim(),
  urlError: url => hostUrlError(url, 'grpc://host:port or grpcs://host:port', { port: true }),
  errors: () => [],
  needs: () => ['grpc'],
  check: ({ url, own: { service } }) => {
    const secure = targetOf(url)?.scheme === 'grpcs:';
    return { kind: 'grpc', secure, ...endpointOf(url), service };
  },
};
