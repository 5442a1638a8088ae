import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { PasskeyPlace } from './place.ts';
import type { KnownPasskey, PasskeyRow } from './store.ts';
import { ticketMs } from './ticket.ts';

/** The most that WebAuthn allows. */
const credentialIdBytesMax = 1023;
/** EdDSA, ES256 and RS256. */
const algorithms = [-8, -7, -257];

const text = z.string().max(32_768);

/** A credential as browsers write it: JSON of WebAuthn level 3. Its parts are checked when it is verified. */
export const credentialSchema = z.object({
  id: z.string().max(2048),
  rawId: z.string().max(2048),
  type: z.literal('public-key'),
  response: z.record(z.string().max(40), z.union([text, z.array(z.string().max(40)).max(20), z.number(), z.null()])),
  clientExtensionResults: z.record(z.string().max(100), z.unknown()).default({}),
  authenticatorAttachment: z.string().max(40).nullish(),
});
export type Credential = z.output<typeof credentialSchema>;

// The library is loaded with the first passkey: it brings all forms of attestation, of which we ask for none.
const library = () => import('@simplewebauthn/server');

/** What a browser needs to make a passkey. `own` are those that the person has: an authenticator makes no second. */
export async function registrationOptions(
  place: PasskeyPlace,
  person: { handle: Uint8Array; name: string; account: string },
  own: readonly PasskeyRow[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Upquorum',
    rpID: place.rpId,
    userID: new Uint8Array(person.handle),
    userName: person.account,
    userDisplayName: person.name,
    timeout: ticketMs,
    attestationType: 'none',
    excludeCredentials: own.map(describe),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  });
}

/** What a browser needs to use a passkey. Without `own` it offers all that it has for this host, and names none. */
export async function requestOptions(
  place: PasskeyPlace,
  own: readonly PasskeyRow[] | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: place.rpId,
    timeout: ticketMs,
    userVerification: 'required',
    ...(own === null ? {} : { allowCredentials: own.map(describe) }),
  });
}

function describe({ credential_id, transports }: PasskeyRow) {
  return { id: credential_id.toString('base64url'), transports: transports as AuthenticatorTransport[] };
}

/**
 * What WebAuthn level 3 asks for and the library leaves to us: no other page had ours in a frame, and the authenticator
 * vouches for itself alone. Browsers send no certificates where nobody asked for an attestation; the library would load
 * lists from the addresses that certificates name.
 */
async function requireOurs({ response }: Credential): Promise<void> {
  const { decodeAttestationObject, decodeClientDataJSON } = await import('@simplewebauthn/server/helpers');
  const { crossOrigin, topOrigin } = decodeClientDataJSON(String(response.clientDataJSON));
  if (crossOrigin === true || topOrigin !== undefined) throw new Error('it was made in a frame of another page');
  if (response.attestationObject === undefined) return;
  const made = decodeAttestationObject(new Uint8Array(Buffer.from(String(response.attestationObject), 'base64url')));
  const isSelf = made.get('fmt') === 'packed' && made.get('attStmt').get('x5c') === undefined;
  if (made.get('fmt') !== 'none' && !isSelf) throw new Error('nobody asked for its attestation');
}

/** What is stored of a new passkey; null if the credential does not answer the challenge. */
export async function verifyRegistration(place: PasskeyPlace, challenge: string, credential: Credential) {
  const { verifyRegistrationResponse } = await library();
  try {
    await requireOurs(credential);
    const { verified, registrationInfo: made } = await verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!verified) return null;
    const { id, publicKey, counter, transports = [] } = made.credential;
    const credentialId = Buffer.from(id, 'base64url');
    if (credentialId.length > credentialIdBytesMax) return null;
    return {
      credentialId,
      publicKey,
      counter,
      transports: transports.slice(0, 10).map(name => String(name).slice(0, 40)),
      synced: made.credentialBackedUp,
      eligible: made.credentialDeviceType === 'multiDevice',
    };
  } catch {
    return null;
  }
}

/**
 * The passkey's new counter, and whether it is synced now; null if the credential does not answer the challenge, if its
 * counter does not grow, if it says that it may be synced and did not before, or the reverse, or if it names somebody
 * else. Whoever signs in without a name must be named by it.
 */
export async function verifyUse(
  place: PasskeyPlace,
  { challenge, purpose }: { challenge: string; purpose: 'sign_in' | 'confirm' },
  credential: Credential,
  passkey: KnownPasskey,
): Promise<{ counter: number; synced: boolean; eligible: boolean } | null> {
  const { verifyAuthenticationResponse } = await library();
  const { userHandle = null } = credential.response;
  const isTheirs = passkey.handle !== null && userHandle === passkey.handle.toString('base64url');
  if (!isTheirs && (purpose === 'sign_in' || userHandle !== null)) return null;
  try {
    await requireOurs(credential);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: place.origin,
      expectedRPID: place.rpId,
      credential: {
        id: passkey.credential_id.toString('base64url'),
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    });
    const { newCounter, credentialBackedUp, credentialDeviceType } = authenticationInfo;
    const eligible = credentialDeviceType === 'multiDevice';
    // WebAuthn level 3, 7.2: it never changes, but of a copy.
    if (!verified || eligible !== (passkey.backup_eligible ?? eligible)) return null;
    return { counter: newCounter, synced: credentialBackedUp, eligible };
  } catch {
    return null;
  }
}
