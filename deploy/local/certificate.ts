import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { dayMs } from '#shared/duration.ts';

/** A certificate for a name, 127.0.0.1 and ::1, and the authority that signed it, all in PEM. */
export type LocalCertificate = { key: string; cert: string; authority: string };

type KeyPair = { publicKey: KeyObject; privateKey: KeyObject };
type Subject = { name: string; key: KeyPair; from: number; days: number; extensions: readonly Buffer[] };

const localhost4 = Buffer.from([127, 0, 0, 1]);
const localhost6 = Buffer.from([...Array(15).fill(0), 1]);

/**
 * Creates an authority and a certificate for `name` (localhost) signed by it, valid for `days` (60) from `from` on; it
 * may have the name as its common name alone. Its instants are whole seconds.
 */
export function makeCertificate(
  options: { days?: number; name?: string; from?: number; authority?: string; hasAlternativeNames?: boolean } = {},
): LocalCertificate {
  const { days = 60, name = 'localhost', from = Date.now() } = options;
  const { authority = 'test authority', hasAlternativeNames = true } = options;
  const [authorityKey, key] = [newKey(), newKey()];
  const issuer = { name: authority, key: authorityKey };
  const isAuthority = extension('551d13', true, sequence(der(0x01, Buffer.from([0xff]))));
  const names = sequence(der(0x82, Buffer.from(name)), der(0x87, localhost4), der(0x87, localhost6));
  const leaf = { name, key, from, days, extensions: hasAlternativeNames ? [extension('551d11', false, names)] : [] };
  return {
    key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: signed(leaf, issuer),
    authority: signed({ ...issuer, from: from - dayMs, days: days + 90, extensions: [isAuthority] }, issuer),
  };
}

function newKey(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** An X.509 certificate of version 3 (RFC 5280). */
function signed({ name, key, from, days, extensions }: Subject, issuer: { name: string; key: KeyPair }): string {
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(time(from), time(from + days * dayMs)),
    distinguishedName(name),
    key.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const certificate = sequence(content, ecdsaWithSha256, bits(sign('sha256', content, issuer.key.privateKey)));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function distinguishedName(name: string): Buffer {
  const commonName = der(0x06, Buffer.from('550403', 'hex'));
  return sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(name)))));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  const critical = isCritical ? [der(0x01, Buffer.from([0xff]))] : [];
  return sequence(der(0x06, Buffer.from(id, 'hex')), ...critical, der(0x04, value));
}

function time(ms: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
}

function bits(content: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), content]));
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** One value of DER: its type, its length, its content. */
function der(type: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([type, ...size]), content]);
}
