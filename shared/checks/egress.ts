import { z } from 'zod';

/** Which addresses of a name a check may connect to. */
export const ipFamilies = ['any', 'ipv4', 'ipv6'] as const;
export type IpFamily = (typeof ipFamilies)[number];

export const proxyProtocols = ['http', 'socks5'] as const;

/** Most bytes of a user name, or of a password, of a proxy. */
export const proxyTextBytesMax = 255;

/** Most bytes of the certificates of authorities, and of a client's certificate or private key. */
export const egressBytesMax = { ca: 65_536, certificate: 16_384, privateKey: 16_384 } as const;

/** How the checks of a monitor go out, as agents get it; what is missing has its default. The key is in clear. */
export const wireEgressSchema = z.object({
  ip_family: z.enum(ipFamilies).optional(),
  addresses: z.literal('each').optional().describe('watch every address; agents that say `egress.each` alone'),
  verify: z.literal(false).optional().describe('take any certificate'),
  server_name: z.string().min(1).max(253).optional().describe('name for SNI and for the certificate'),
  ca: z.string().max(egressBytesMax.ca).optional().describe('the only authorities that are trusted, as PEM'),
  client_certificate: z
    .object({
      certificate: z.string().max(egressBytesMax.certificate + egressBytesMax.privateKey),
      private_key: z.string().max(egressBytesMax.privateKey),
    })
    .optional(),
  proxy: z
    .object({
      protocol: z.enum(proxyProtocols),
      host: z.string().min(1).max(253),
      port: z.int().min(1).max(65_535),
      username: z.string().max(proxyTextBytesMax).nullable(),
      password: z.string().max(proxyTextBytesMax).nullable(),
    })
    .optional()
    .describe('through which checks go; agents that say `egress.proxy` alone'),
});
export type WireEgress = z.infer<typeof wireEgressSchema>;
