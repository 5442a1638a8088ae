import { BrowserError } from './error.ts';
import { type SignedIn, send } from './session.ts';

/** The ways to sign in that the server offers; `oidc_name` is what the provider is called. */
export type WaysIn = { methods: readonly string[]; oidc_name: string | null };

/** Sends to the server, and resolves to its answer: as nobody, or as who is signed in. */
type Post = (path: string, body: object) => Promise<unknown>;

type Offer = { ticket: string; public_key: Record<string, unknown> };

/** What browsers have of WebAuthn level 3, where they have it. */
type Credentials = {
  parseRequestOptionsFromJSON?(options: unknown): PublicKeyCredentialRequestOptions;
  parseCreationOptionsFromJSON?(options: unknown): PublicKeyCredentialCreationOptions;
};

/** How the server lets somebody in who is not signed in. */
export async function readWaysIn(): Promise<WaysIn> {
  // A server that does not say takes tokens alone.
  const { methods = ['token'], oidc_name = null } = (await send(
    'GET',
    '/dashboard/session',
    undefined,
  )) as Partial<WaysIn>;
  return { methods, oidc_name };
}

/** Whether this browser has passkeys. */
export function hasPasskeys(): boolean {
  return 'PublicKeyCredential' in globalThis && parsers().parseRequestOptionsFromJSON !== undefined;
}

export async function signInByPasskey(): Promise<SignedIn> {
  return (await usePasskey('sign_in', asNobody)) as SignedIn;
}

/** Shows by a passkey that it is still the person of the session. */
export async function confirmByPasskey(post: Post): Promise<void> {
  await usePasskey('confirm', post);
}

/** Adds a passkey of this device to who is signed in. */
export async function addPasskey(post: Post, name: string): Promise<void> {
  await makePasskey({ purpose: 'register' }, post, name);
}

/** Joins by an invitation as somebody new, with a passkey. */
export async function joinByPasskey(invitation: string, name: string): Promise<SignedIn> {
  return (await makePasskey({ purpose: 'register', invitation, name }, asNobody)) as SignedIn;
}

/** Asks for a sign-in link by email. The answer does not say whether the address is known. */
export async function askForLink(email: string): Promise<void> {
  await send('POST', '/auth/links', { email });
}

/** Asks for a link of the invitation by email, which proves the address. The answer does not say whose it is. */
export async function askToJoin(invitation: string, email: string): Promise<void> {
  await send('POST', '/auth/invitations/email', { token: invitation, email });
}

/** Joins by an emailed invitation as somebody new, who has its address. */
export async function joinByEmail(invitation: string, name: string): Promise<void> {
  await send('POST', '/auth/invitations/join', { token: invitation, name });
}

/** Goes to the identity provider, which leads back here; with the secret of an invitation, to join by it. */
export async function goToProvider(invitation: string | null = null): Promise<void> {
  const return_to = invitation === null ? `${location.pathname}${location.hash}` : '/';
  location.assign(await startAtProvider(asNobody, { purpose: 'sign_in', return_to, invitation }));
}

/** Where the browser has to go at the identity provider. */
export async function startAtProvider(post: Post, asked: object): Promise<string> {
  const { url } = (await post('/auth/oidc/start', asked)) as { url: string };
  return url;
}

/** Why a sign-in at the provider failed: the code in the address, which is taken out; null if there is none. */
export function takeSignInError(): string | null {
  const address = new URL(location.href);
  const code = address.searchParams.get('sign_in_error');
  if (code === null) return null;
  address.searchParams.delete('sign_in_error');
  history.replaceState(null, '', address);
  return code;
}

/** What a `sign_in_error` means. */
export function sentenceOf(code: string): string {
  return sentences[code] ?? 'The sign-in failed. Try again.';
}

const sentences: Readonly<Record<string, string>> = {
  provider_denied: 'The identity provider refused the sign-in, or you cancelled it.',
  state_unknown: 'The sign-in took longer than ten minutes, or began in another browser. Try again.',
  provider_unavailable: 'The identity provider does not answer. Try again in a moment, or sign in another way.',
  provider_misconfigured: 'The identity provider is not set up correctly. Tell whoever runs this installation.',
  token_invalid: 'The identity provider’s answer could not be verified. Try again.',
  not_admitted:
    'This account is in no project here. If you are invited, open the link in the invitation email and join from ' +
    'there. Otherwise ask an admin of your project for an invitation.',
  groups_incomplete: 'The identity provider did not send all your groups. Tell whoever runs this installation.',
  person_deactivated: 'You were deactivated. Ask whoever runs this installation.',
  identity_taken: 'This account already belongs to somebody else.',
  wrong_person: 'That account is not yours. Confirm with the account that you signed in with.',
  link_expired: 'The invitation was used, withdrawn, or is too old. Ask for a new one.',
};

const asNobody: Post = (path, body) => send('POST', path, body);

async function usePasskey(purpose: 'sign_in' | 'confirm', post: Post): Promise<unknown> {
  const { ticket, public_key } = (await post('/auth/passkeys/options', { purpose })) as Offer;
  const publicKey = parsers().parseRequestOptionsFromJSON?.(public_key);
  if (publicKey === undefined) throw new BrowserError('This browser has no passkeys.');
  const credential = await asked(() => navigator.credentials.get({ publicKey }));
  return post('/auth/passkeys/verify', { ticket, credential });
}

async function makePasskey(body: object, post: Post, name = 'Passkey'): Promise<unknown> {
  const { ticket, public_key } = (await post('/auth/passkeys/options', body)) as Offer;
  const publicKey = parsers().parseCreationOptionsFromJSON?.(public_key);
  if (publicKey === undefined) throw new BrowserError('This browser has no passkeys.');
  const credential = await asked(() => navigator.credentials.create({ publicKey }));
  return post('/auth/passkeys/verify', { ticket, credential, name });
}

/** The credential as JSON. A person who cancels, and a device without one, look the same to a page. */
async function asked(ask: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await ask();
    if (credential !== null) return (credential as PublicKeyCredential).toJSON();
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    if (error.name === 'InvalidStateError')
      throw new BrowserError('This device already has a passkey of yours.', { cause: error });
  }
  throw new BrowserError('No passkey was used: you cancelled, or this device has none for this address.');
}

function parsers(): Credentials {
  return (globalThis as { PublicKeyCredential?: Credentials }).PublicKeyCredential ?? {};
}
