import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import type { PasskeyPlace } from './place.ts';
import type { PasskeyRow } from './store.ts';
import { ticketMs } from './ticket.ts';

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

/** What is stored of a new passkey; null if the credential does not answer the challenge. */
export async function verifyRegistration(place: PasskeyPlace, challenge: string, credential: Credential) {
  const { verifyRegistrationResponse } = await library();
  try {
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
    return {
      credentialId: Buffer.from(id, 'base64url'),
      publicKey,
      counter,
      transports: transports.slice(0, 10).map(name => String(name).slice(0, 40)),
      synced: made.credentialBackedUp,
    };
  } catch {
    return null;
  }
}

/** The passkey's new counter; null if the credential does not answer the challenge, or its counter does not grow. */
export async function verifyUse(
  place: PasskeyPlace,
  challenge: string,
  credential: Credential,
  passkey: Pick<PasskeyRow, 'credential_id' | 'public_key' | 'counter'>,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  try {
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
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
