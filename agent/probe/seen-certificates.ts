import type { TlsFacts } from './handshake.ts';

/** A certificate and the host that showed it, with its port. */
export type SeenCertificate = Readonly<{ host: string; tls: TlsFacts }>;

/** Where a redirect led elsewhere: the host that showed the last certificate, and those of hosts before it. */
export type Way = Readonly<{ host: string; earlier: readonly SeenCertificate[] }>;

/** `way` is left out where the monitor's own host alone has shown a certificate. */
type Noted = { tls: TlsFacts | null; way?: Way };

/** The certificates of the hosts that a check comes to, each once. */
export class SeenCertificates {
  readonly #ownHost: string;
  readonly #seen: SeenCertificate[] = [];

  constructor(ownHost: string) {
    this.#ownHost = ownHost;
  }

  /** A host has shown its certificate, or speaks without TLS. */
  note(host: string, tls: TlsFacts | null, outcome: Noted): void {
    if (tls === null) return;
    const place = this.#seen.findIndex(one => one.host === host && one.tls.fingerprint === tls.fingerprint);
    if (place !== -1) this.#seen.splice(place, 1);
    this.#seen.push({ host, tls });
    if (this.#seen.length > 1 || host !== this.#ownHost) outcome.way = { host, earlier: this.#seen.slice(0, -1) };
  }

  /** No connection to a host was made: what it showed of itself, if anything, is all that is known of the way. */
  noteRefused(host: string, outcome: Noted): void {
    if (host !== this.#ownHost) outcome.way = { host, earlier: [] };
  }

  /** The last host has answered. If it speaks without TLS, the last certificate is that of a host before it. */
  finish(outcome: Noted): void {
    const last = this.#seen.at(-1);
    if (outcome.tls !== null || last === undefined) return;
    outcome.tls = last.tls;
    outcome.way = { host: last.host, earlier: this.#seen.slice(0, -1) };
  }
}
