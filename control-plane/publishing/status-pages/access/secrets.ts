import { hashBearer, newBearer } from '../../../platform/secrets/bearer.ts';
import type { Keyring } from '../../../platform/secrets/keyring.ts';
import type { AccessSettings, AccessType } from './access.ts';
import { hiddenPassword } from './access.ts';
import { hashPassword, isPassword, type PasswordHash } from './password.ts';

/** What a private page knows of its secrets: hashes, but for the key of its feeds, which stands in its own links. */
export type AccessSecrets = { password?: PasswordHash; link?: string; key?: string };

/** The access that a page has. */
export type PageAccess = { type: AccessType; ranges: readonly string[]; secrets: AccessSecrets };

/** Another access for a page. `link` is the secret of a new link, which only its hash is stored of. */
export type NewAccess = PageAccess & { link: string | null };

export function sealAccess(secrets: AccessSecrets, pageId: string, keyring: Keyring): Uint8Array {
  return keyring.seal(JSON.stringify(secrets), contextOf(pageId));
}

export function openAccess(sealed: Uint8Array | null, pageId: string, keyring: Keyring): AccessSecrets {
  return sealed === null ? {} : (JSON.parse(keyring.open(sealed, contextOf(pageId))) as AccessSecrets);
}

function contextOf(pageId: string): string {
  return `page-access ${pageId}`;
}

/** The access that was asked for; null if the page has it already; `no_password` if there is none to keep. */
export async function newAccess(current: PageAccess, asked: AccessSettings): Promise<NewAccess | 'no_password' | null> {
  switch (asked.type) {
    case 'public':
      return current.type === 'public' ? null : { type: 'public', ranges: [], secrets: {}, link: null };
    case 'password':
      return newPassword(current, asked.password);
    case 'link':
      return current.type === 'link' ? null : newLink();
    case 'members':
      return current.type === 'members' ? null : { type: 'members', ranges: [], secrets: {}, link: null };
    case 'ip': {
      const isSame = current.type === 'ip' && current.ranges.join() === asked.ranges.join();
      return isSame ? null : { type: 'ip', ranges: asked.ranges, secrets: {}, link: null };
    }
    default:
      return asked satisfies never;
  }
}

/** A link, with which those of before end. */
export function newLink(): NewAccess {
  const link = newBearer('upv');
  const secrets = { link: hashBearer(link).toString('hex'), key: newBearer('upf') };
  return { type: 'link', ranges: [], secrets, link };
}

async function newPassword({ type, secrets }: PageAccess, password: string): Promise<NewAccess | 'no_password' | null> {
  const stored = type === 'password' ? secrets.password : undefined;
  if (password === hiddenPassword) return stored === undefined ? 'no_password' : null;
  if (stored !== undefined && (await isPassword(password, stored))) return null;
  const hashed = { password: await hashPassword(password), key: newBearer('upf') };
  return { type: 'password', ranges: [], secrets: hashed, link: null };
}
