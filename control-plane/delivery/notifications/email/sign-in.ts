import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email } from '../../transports/email/email.ts';
import { quotedName } from './confirmation.ts';
import { plainEmail } from './plain.ts';

/** The link of one of those who have the address. */
export type SignInLink = { name: string; url: string };

/** The email that signs in whoever reads it. */
export function signInEmail(
  links: readonly SignInLink[],
  baseUrl: string,
  to: { to: string; deliveryId: string },
): Email {
  const { quoted } = languageOf('en').words.email;
  return plainEmail(
    {
      title: 'Sign in to Upquorum',
      what: 'Somebody, probably you, asked for a link that signs in with this address.',
      advice:
        'It works once, for 15 minutes. If you didn’t ask for it, ignore this email: nothing happens without a click.',
      links: links.map(({ name, url }) => ({ text: `Sign in as ${quotedName(name, quoted)}`, url })),
      why: `You’re receiving this email because somebody entered this address at ${baseUrl}.`,
    },
    baseUrl,
    to,
  );
}
