import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

type Creation = { challenge: string; rp: { id?: string }; user: { id: string } };
type Request = { challenge: string; rpId?: string };

/** What an answer lies about. */
export type Lies = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  verified?: boolean;
  /** Flags of the authenticator that are the other way round: presence 1, may be synced 8, is synced 16. */
  flags?: number;
  counter?: number;
  signature?: Buffer;
  type?: string;
  /** Who it says that it is of. */
  userHandle?: string | null;
  /** Further parts of what the browser says. */
  client?: Record<string, unknown>;
  idBytes?: number;
  attestation?: { fmt: string; statement: Buffer };
};

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** An authenticator without a device: one passkey, ES256, of one origin. */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  id: Buffer = randomBytes(32);
  #counter = 0;
  #userHandle: string | null = null;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Answers the options of a registration. */
  create({ challenge, rp, user }: Creation, lies: Lies = {}): unknown {
    this.#userHandle = user.id;
    if (lies.idBytes !== undefined) this.id = randomBytes(lies.idBytes);
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const point = [Buffer.from([0x21, 0x58, 0x20]), Buffer.from(x, 'base64url')];
    const key = [Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1]), ...point, Buffer.from([0x22, 0x58, 0x20])];
    const cose = Buffer.concat([...key, Buffer.from(y, 'base64url')]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.id, cose]);
    const data = Buffer.concat([this.#head(rp.id ?? '', lies, 0x40), attested]);
    const size = Buffer.from([0x59, data.length >> 8, data.length & 0xff]);
    const text = (word: string) => Buffer.concat([Buffer.from([0x60 + word.length]), Buffer.from(word)]);
    const { fmt, statement } = lies.attestation ?? { fmt: 'none', statement: Buffer.from([0xa0]) };
    const object = [Buffer.from([0xa3]), text('fmt'), text(fmt), text('attStmt'), statement];
    const attestation = Buffer.concat([...object, text('authData'), size, data]);
    return this.#credential({
      clientDataJSON: base64(this.#client('webauthn.create', challenge, lies)),
      attestationObject: base64(attestation),
      transports: ['internal'],
    });
  }

  /** Answers the options of a use. */
  get({ challenge, rpId = '' }: Request, lies: Lies = {}): unknown {
    const data = this.#head(rpId, lies, 0);
    const client = this.#client('webauthn.get', challenge, lies);
    const signature = sign('sha256', Buffer.concat([data, sha256(client)]), this.#key.privateKey);
    return this.#credential({
      clientDataJSON: base64(client),
      authenticatorData: base64(data),
      signature: base64(lies.signature ?? signature),
      userHandle: lies.userHandle === undefined ? this.#userHandle : lies.userHandle,
    });
  }

  #head(rpId: string, { rpId: other, verified = true, flags = 0, counter }: Lies, more: number): Buffer {
    this.#counter = counter ?? this.#counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.#counter);
    return Buffer.concat([sha256(other ?? rpId), Buffer.from([(0x01 | (verified ? 0x04 : 0) | more) ^ flags]), count]);
  }

  #client(type: string, challenge: string, lies: Lies): string {
    const { origin = this.#origin } = lies;
    return JSON.stringify({ type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin, ...lies.client });
  }

  #credential(response: object): unknown {
    const id = base64(this.id);
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}
