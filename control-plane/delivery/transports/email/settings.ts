import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EnvReader } from '#shared/env.ts';

/** The key that signs emails. */
export type Dkim = Readonly<{ domain: string; selector: string; privateKey: string }>;

/** smtp:// or smtps://, with user and password. The fault does not repeat the URL, because it holds a secret. */
export function readSmtpUrl(reader: EnvReader): string | null {
  const url = reader.optional('SMTP_URL');
  if (url !== null && !(URL.canParse(url) && /^smtps?:$/.test(new URL(url).protocol)))
    reader.fault('SMTP_URL must be a URL such as smtps://user:password@mail.example.com');
  return url;
}

/** An address without a name: the name that recipients see is the status page's. */
export function readMailFrom(reader: EnvReader, host: string): string {
  const address = reader.text('MAIL_FROM', `notifications@${host}`);
  if (!/^[^\s<>@,;:"()[\]]+@[^\s<>@,;:"()]+$/.test(address))
    reader.fault('MAIL_FROM must be an address such as status@example.com');
  return address;
}

/** All three variables or none; the key is read and checked at once, so that no email fails for it later. */
export function readDkim(reader: EnvReader): Dkim | null {
  const names = ['MAIL_DKIM_DOMAIN', 'MAIL_DKIM_SELECTOR', 'MAIL_DKIM_KEY_FILE'] as const;
  const [domain, selector, file] = names.map(name => reader.optional(name));
  if (domain === null && selector === null && file === null) return null;
  const label = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';
  const isName = (name: string | null | undefined) =>
    name != null && new RegExp(`^${label}(\\.${label})*$`, 'i').test(name);
  if (domain == null || selector == null || file == null) {
    reader.fault(`${names.join(', ')} must be set together or not at all`);
    return null;
  }
  if (!isName(domain)) reader.fault('MAIL_DKIM_DOMAIN must be a domain such as example.com');
  if (!isName(selector)) reader.fault('MAIL_DKIM_SELECTOR must be a DNS name such as status2026');
  const privateKey = readRsaKey(file);
  if (privateKey === null) reader.fault('MAIL_DKIM_KEY_FILE must be a readable file with an RSA private key in PEM');
  return Object.freeze({ domain, selector, privateKey: privateKey ?? '' });
}

function readRsaKey(file: string): string | null {
  try {
    const text = readFileSync(file, 'utf8');
    return createPrivateKey(text).asymmetricKeyType === 'rsa' ? text : null;
  } catch {
    return null;
  }
}
