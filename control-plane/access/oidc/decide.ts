import type { Claims } from './claims.ts';
import type { OidcSettings, SignInSettings } from './settings.ts';

/** Why somebody is not let in; the page of signing in has a sentence for each. */
export type SignInError =
  | 'provider_denied'
  | 'state_unknown'
  | 'provider_unavailable'
  | 'provider_misconfigured'
  | 'token_invalid'
  | 'not_admitted'
  | 'groups_incomplete'
  | 'person_deactivated'
  | 'identity_taken'
  | 'wrong_person'
  | 'link_expired';

/** Who an account is of already, and what they are. A member by a group alone is none here: groups may change. */
export type KnownPerson = { id: string; state: string; isMember: boolean; isOperatorByHand: boolean };

export type Question = {
  purpose: 'sign_in' | 'link' | 'confirm';
  /** Who began a `link` or a `confirm`. */
  personId: string | null;
  /** Whether they began by an invitation, and whether it is open. */
  invitation: 'none' | 'open' | 'expired';
  known: KnownPerson | null;
  /** Whether open invitations are for the verified email: that lets in somebody new. */
  isInvited: boolean;
  /** Whether any group has a role in some project, and whether one of theirs has. */
  groupRoles: { some: boolean; own: boolean };
};

export type Decision =
  | { type: 'refuse'; error: SignInError }
  | { type: 'sign_in'; personId: string }
  | { type: 'confirm' }
  | { type: 'link' }
  | { type: 'create' };

/** Pure: what becomes of somebody whom the provider vouches for. An account is found by issuer and subject alone. */
export function decide(question: Question, claims: Claims, { oidc, operators }: SignInSettings): Decision {
  const { purpose, personId, invitation, known, isInvited } = question;
  const refuse = (error: SignInError): Decision => ({ type: 'refuse', error });
  if (oidc === null) return refuse('state_unknown');
  if (claims.groupsIncomplete && doGroupsDecide(question, oidc)) return refuse('groups_incomplete');
  if (known !== null && known.state !== 'active') return refuse('person_deactivated');
  if (purpose === 'confirm') return known?.id === personId ? { type: 'confirm' } : refuse('wrong_person');
  if (purpose === 'link') {
    if (known === null) return { type: 'link' };
    return known.id === personId ? { type: 'sign_in', personId: known.id } : refuse('identity_taken');
  }
  if (invitation === 'expired') return refuse('link_expired');
  const mayEnter =
    invitation === 'open' ||
    isAdmitted(claims, oidc) ||
    question.groupRoles.own ||
    isOperatorByGroup(claims, { oidc }) ||
    isListed(claims, operators);
  if (known === null) return mayEnter || isInvited ? { type: 'create' } : refuse('not_admitted');
  // Somebody known joins by the link of an invitation, never by an address that their account names now.
  const stays = known.isMember || known.isOperatorByHand || mayEnter;
  return stays ? { type: 'sign_in', personId: known.id } : refuse('not_admitted');
}

function doGroupsDecide({ groupRoles }: Question, { allowedGroups, operatorGroups }: OidcSettings): boolean {
  return groupRoles.some || allowedGroups.length + operatorGroups.length > 0;
}

/** Whether the domain or a group admits somebody whom nobody invited. */
function isAdmitted({ domain, groups }: Claims, { allowedDomains, allowedGroups }: OidcSettings): boolean {
  return (domain !== null && allowedDomains.includes(domain)) || groups.some(group => allowedGroups.includes(group));
}

/** Whether a group says that somebody runs the installation. */
export function isOperatorByGroup({ groups }: Claims, { oidc }: Pick<SignInSettings, 'oidc'>): boolean {
  return groups.some(group => oidc?.operatorGroups.includes(group) === true);
}

function isListed({ email, verified }: Claims, operators: readonly string[]): boolean {
  return verified && email !== null && operators.includes(email.toLowerCase());
}
