import type { IncomingMessage } from 'node:http';
import { readBytes } from '../../../platform/http/bodies/read-body.ts';
import { parseForm } from '../../../platform/http/bodies/read-form.ts';
import { limitKey } from '../../../platform/http/limits/caller-address.ts';
import type { Gate } from '../access/gate.ts';
import { isPassword } from '../access/password.ts';
import type { Refusal } from '../render/refusal.ts';
import { isCrossSite } from './cross-site.ts';
import { Guesses } from './guesses.ts';
import type { Refused } from './refuse.ts';
import { returnPath } from './request-parts.ts';
import { Turns } from './turns.ts';

const formBytesMax = 4096;
const passwordLengthMax = 200;

type Asking = { base: string; address: string };
type Answer = { type: 'let_in'; location: string } | ({ type: 'refused' } & Refused);

/** Compares passwords, few at a time and few of each address: each costs 32 MiB and much time. */
export class PasswordDesk {
  readonly #guesses = new Guesses();
  readonly #turns = new Turns({ running: 2, waiting: 16 });
  readonly #services: { now(): number; baseUrl: string };

  constructor(services: { now(): number; baseUrl: string }) {
    this.#services = services;
  }

  /** `base`: what stands before all paths of the page. */
  form(base: string, returnTo: unknown, isWrong = false): Refusal {
    return { type: 'password', action: `${base}/access`, returnTo: returnPath(returnTo, base), isWrong };
  }

  /** Throws a problem for what is no form. */
  async ask(gate: Gate, { base, address }: Asking, request: IncomingMessage): Promise<Answer> {
    if (isCrossSite(request.headers, this.#services.baseUrl)) return refused(403, this.form(base, null));
    const form = parseForm(request, await readBytes(request, formBytesMax, () => {}));
    const { password, return_to } = (typeof form === 'object' ? (form ?? {}) : {}) as Record<string, unknown>;
    if (typeof password !== 'string' || password.length > passwordLengthMax || gate.password === undefined)
      return refused(403, this.form(base, return_to, true));
    const waitSeconds = this.#guesses.charge(gate.pageId, limitKey(address), this.#services.now());
    if (waitSeconds !== null) return { ...refused(429, { type: 'too_many' }), retryAfter: waitSeconds };
    const { password: stored } = gate;
    const isRight = await this.#turns.run(() => isPassword(password, stored));
    if (isRight === null) return { ...refused(503, { type: 'unavailable' }), retryAfter: 1 };
    if (!isRight) return refused(403, this.form(base, return_to, true));
    return { type: 'let_in', location: returnPath(return_to, base) };
  }
}

function refused(status: Refused['status'], refusal: Refusal): Answer & { type: 'refused' } {
  return { type: 'refused', status, refusal };
}
