import type { AccountNews } from '../../../access/people/account-news.ts';
import { languageOf } from '../../../publishing/status-pages/locale/language.ts';
import type { Email } from '../../transports/email/email.ts';
import { quotedName } from './confirmation.ts';
import { type PlainText, plainEmail } from './plain.ts';

type Text = Pick<PlainText, 'title' | 'what' | 'advice'> & { button: PlainText['links'][number] };

/** What the text names: its names are those of now. */
export type AccountNames = { by: string | null; project: { id: string; name: string } | null };

/** The email that says what happened to somebody's account, or in a project that they administer. */
export function accountEmail(
  news: AccountNews,
  names: AccountNames,
  baseUrl: string,
  { to, deliveryId }: { to: string; deliveryId: string },
): Email {
  const { button, ...text } = textOf(news, names, baseUrl);
  const why = `You’re receiving this email because this address belongs to your account at ${baseUrl}.`;
  return plainEmail({ ...text, links: [button], why }, baseUrl, { to, deliveryId });
}

function textOf(news: AccountNews, { by, project }: AccountNames, baseUrl: string): Text {
  const { quoted } = languageOf('en').words.email;
  const name = (text: string) => quotedName(text, quoted);
  const whoever = by === null ? 'Whoever runs the installation' : `${name(by)}, who runs the installation,`;
  const me = { button: { text: 'Open my account', url: `${baseUrl}/#/me` } };
  const members = { button: { text: 'Show members', url: `${baseUrl}/p/${project?.id ?? ''}#/settings/members` } };
  const where = name(project?.name ?? '');
  switch (news.type) {
    case 'passkey_added':
      return {
        ...me,
        title: 'A passkey was added to your account',
        what: `The passkey ${name(news.passkey)} can now sign in as you.`,
        advice: 'If you didn’t add it, delete it, sign out everywhere, and tell whoever runs the installation.',
      };
    case 'account_linked':
      return {
        ...me,
        title: 'An account was linked to yours',
        what: `An account at ${hostOf(news.issuer)} can now sign in as you.`,
        advice: 'If you didn’t link it, unlink it, sign out everywhere, and tell whoever runs the installation.',
      };
    case 'link_made':
      return {
        ...me,
        title: 'A sign-in link was made for you',
        what: `${whoever} made a link that signs in as you, once, within a day.`,
        advice: 'If you didn’t ask for it, ask them why, and look for sessions that are not yours.',
      };
    case 'invitation_used':
      return {
        ...members,
        title: 'Your invitation was used',
        what: `${name(by ?? '')} joined the project ${where} as ${news.role}.`,
        advice: 'Whoever has the link of an invitation can use it. If this is not the person you invited, remove them.',
      };
    case 'operator_joined':
      return {
        ...members,
        title: 'An operator joined your project',
        what: `${whoever} is now an admin of the project ${where}.`,
        advice: 'The audit log shows what they do there. You can remove them like any other member.',
      };
  }
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : 'your identity provider';
}
