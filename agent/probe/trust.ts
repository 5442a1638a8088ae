import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

/** Contexts that trust the same authorities and make a full handshake each time, without session tickets. */
export type Trust = {
  /**
   * Offers no hybrid (post-quantum) group: a server of OpenSSL 3.5 would ask for it by a second ClientHello, which
   * costs a round trip and 0.2 ms of CPU, and checks keep nothing secret for long.
   */
  readonly classic: SecureContext;
  /** Offers them first, for connections with secrets and servers that accept nothing else. Made on first use. */
  readonly hybrid: SecureContext;
  /** Certificates of the authorities, as PEM. */
  readonly authorities: readonly string[];
};

/** Built once for all TLS connections, because that parses about 150 roots. Throws if the file cannot be read. */
export function createTrust(extraCaFile: string | null): Trust {
  const extra = extraCaFile === null ? [] : [readFileSync(extraCaFile, 'utf8')];
  return createTrustOf([...rootCertificates, ...extra]);
}

/** With these authorities, and a certificate of the client if one is given. Throws if one of them cannot be read. */
export function createTrustOf(authorities: readonly string[], client: { cert?: string; key?: string } = {}): Trust {
  const contextWith = (ecdhCurve: string) =>
    createSecureContext({ ca: [...authorities], ecdhCurve, secureOptions: constants.SSL_OP_NO_TICKET, ...client });
  let hybrid: SecureContext | null = null;
  return {
    authorities,
    classic: contextWith('X25519:P-256:P-384:P-521'),
    get hybrid() {
      hybrid ??= contextWith('auto');
      return hybrid;
    },
  };
}
