import { z } from 'zod';
import { egressBytesMax, ipFamilies, type WireEgress } from '#shared/checks/egress.ts';
import { readOnlyKey } from '../../../platform/http/bodies/validate.ts';
import { bytesAtMost } from '../../../platform/http/bytes-at-most.ts';
import { isHostName } from '../url.ts';
import { certificateFacts, isCertificates } from './pem.ts';
import { isProxyUrl, proxyForm, proxyTextSchema, wireProxyOf } from './proxy.ts';

const certificatesMax = 20;
const ca = bytesAtMost(egressBytesMax.ca).refine(text => isCertificates(text, certificatesMax), {
  params: { code: 'format' },
  message: `must be 1 to ${certificatesMax} certificates as PEM`,
});

const clientCertificate = z
  .object({
    certificate: bytesAtMost(egressBytesMax.certificate)
      .refine(text => isCertificates(text, certificatesMax), {
        params: { code: 'format' },
        message: 'must be a certificate and its chain as PEM',
      })
      .nullable()
      .default(null)
      .describe('The certificate and its chain as PEM; null if the text of the private key has them as well.'),
    private_key: bytesAtMost(egressBytesMax.privateKey)
      .min(1)
      .describe('Private key as PEM, without a passphrase; always shown as `"********"`.'),
  })
  .meta({ [readOnlyKey]: ['subject', 'valid_to', 'fingerprint_sha256'] });

const proxy = z.object({
  url: z
    .string()
    .max(300)
    .refine(isProxyUrl, { params: { code: 'format' }, message: `must have the form ${proxyForm}` })
    .describe('`http://host:port` or `socks5://host:port`; the names of targets are resolved by the proxy.'),
  username: proxyTextSchema.nullable().default(null).describe('User name at the proxy; null for none.'),
  password: proxyTextSchema
    .nullable()
    .default(null)
    .describe('Password at the proxy; null for none, and always shown as `"********"`.'),
});

export const egressSchema = z
  .object({
    ip_family: z.enum(ipFamilies).default('any').describe('Family of addresses that checks connect to.'),
    addresses: z
      .enum(['first', 'each'])
      .default('first')
      .describe(
        '`first`: addresses of a name are tried until one connects. `each`: checks take turns among all of them, and ' +
          'each is reached once a minute.',
      ),
    verify: z.boolean().default(true).describe('Whether the certificate of the server must be valid.'),
    server_name: z
      .string()
      .max(253)
      .refine(text => /^[a-z0-9._-]+$/i.test(text) && isHostName(text), {
        params: { code: 'format' },
        message: 'must be a host name',
      })
      .nullable()
      .default(null)
      .describe('Name that is sent as SNI and that the certificate must be valid for; null for that of the URL.'),
    ca: ca.nullable().default(null).describe('The only authorities that are trusted, as PEM; null for the usual ones.'),
    client_certificate: clientCertificate.nullable().default(null),
    proxy: proxy.nullable().default(null),
  })
  .meta({ title: 'Egress' });
export type EgressSettings = z.output<typeof egressSchema>;

/** As the API shows it, with what the client certificate says. */
export const shownEgressSchema = z
  .object({
    ...egressSchema.shape,
    client_certificate: clientCertificate
      .extend({
        subject: z.string().describe('Subject of the certificate.'),
        valid_to: z.string().describe('Time until which the certificate is valid.'),
        fingerprint_sha256: z.string().describe('SHA-256 fingerprint of the certificate, in hexadecimal digits.'),
      })
      .nullable(),
  })
  .meta({ title: 'ShownEgress' });
type ShownEgress = z.infer<typeof shownEgressSchema>;

/** Pure: egress as it is shown; `hidden` is settings whose private key is already hidden. */
export function shownEgress(stored: EgressSettings | null, hidden: EgressSettings | null): ShownEgress | null {
  if (stored === null || hidden === null) return null;
  const { client_certificate: pair } = stored;
  const { client_certificate: shown } = hidden;
  if (pair === null || shown === null) return { ...hidden, client_certificate: null };
  return { ...hidden, client_certificate: { ...shown, ...certificateFacts(pair.certificate ?? pair.private_key) } };
}

/** Pure: what agents get; null if all is as usual. */
export function wireEgressOf(egress: EgressSettings | null): WireEgress | null {
  if (egress === null) return null;
  const {
    ip_family,
    addresses,
    verify,
    server_name,
    ca: authorities,
    client_certificate: pair,
    proxy: through,
  } = egress;
  const wire: WireEgress = {
    ...(ip_family === 'any' ? {} : { ip_family }),
    ...(addresses === 'each' ? { addresses } : {}),
    ...(verify ? {} : { verify }),
    ...(server_name === null ? {} : { server_name }),
    ...(authorities === null ? {} : { ca: authorities }),
    ...(pair === null ? {} : { client_certificate: { ...pair, certificate: pair.certificate ?? pair.private_key } }),
    ...(through == null ? {} : { proxy: wireProxyOf(through) }),
  };
  return Object.keys(wire).length === 0 ? null : wire;
}
