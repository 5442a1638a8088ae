import type { Monitor } from '../../../../session/api-types.ts';
import type { Kind } from '../kind-draft.ts';

/** How checks go out, while it is edited. The key of a stored certificate and a stored password are `********`. */
export type EgressDraft = {
  ipFamily: string;
  eachAddress: boolean;
  skipsVerification: boolean;
  serverName: string;
  authorities: string;
  clientCertificate: string;
  clientKey: string;
  proxyUrl: string;
  proxyUsername: string;
  proxyPassword: string;
};

export const usualEgress: EgressDraft = {
  ipFamily: 'any',
  eachAddress: false,
  skipsVerification: false,
  serverName: '',
  authorities: '',
  clientCertificate: '',
  clientKey: '',
  proxyUrl: '',
  proxyUsername: '',
  proxyPassword: '',
};

export function draftOfEgress({ egress }: Pick<Monitor, 'egress'>): EgressDraft {
  if (egress == null) return usualEgress;
  return {
    ipFamily: egress.ip_family,
    eachAddress: egress.addresses === 'each',
    skipsVerification: !egress.verify,
    serverName: egress.server_name ?? '',
    authorities: egress.ca ?? '',
    clientCertificate: egress.client_certificate?.certificate ?? '',
    clientKey: egress.client_certificate?.private_key ?? '',
    proxyUrl: egress.proxy?.url ?? '',
    proxyUsername: egress.proxy?.username ?? '',
    proxyPassword: egress.proxy?.password ?? '',
  };
}

/** What a kind takes of it. */
export function egressOf(kind: Kind): 'whole' | 'steps' | 'family' | 'none' {
  if (kind === 'ping') return 'family';
  if (kind === 'multistep') return 'steps';
  return ['http', 'tcp', 'tls', 'grpc', 'websocket'].includes(kind) ? 'whole' : 'none';
}

/** The member `egress` of a body; null if all is as usual. What a kind does not take is left out. */
export function egressBody(draft: EgressDraft, kind: Kind): Record<string, unknown> | null {
  const use = egressOf(kind);
  if (use === 'none' || isUsual(draft)) return null;
  if (use === 'family') return draft.ipFamily === 'any' ? null : { ip_family: draft.ipFamily };
  const hasPair = draft.clientCertificate.trim() !== '' || draft.clientKey.trim() !== '';
  return {
    ip_family: draft.ipFamily,
    ...(use === 'whole' && draft.eachAddress ? { addresses: 'each' } : {}),
    verify: !draft.skipsVerification,
    server_name: use === 'steps' ? null : textOrNull(draft.serverName),
    ca: textOrNull(draft.authorities),
    client_certificate: hasPair
      ? { certificate: textOrNull(draft.clientCertificate), private_key: draft.clientKey.trim() }
      : null,
    proxy: proxyBody(draft),
  };
}

function proxyBody({ proxyUrl, proxyUsername, proxyPassword }: EgressDraft): object | null {
  if (proxyUrl.trim() === '') return null;
  const password = proxyPassword === '' ? null : proxyPassword;
  return { url: proxyUrl.trim(), username: textOrNull(proxyUsername), password };
}

export function isUsual(draft: EgressDraft): boolean {
  return (Object.keys(usualEgress) as (keyof EgressDraft)[]).every(name => draft[name] === usualEgress[name]);
}

function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}
