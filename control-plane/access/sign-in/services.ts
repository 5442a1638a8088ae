import type pg from 'pg';
import type { Logger } from '#shared/log.ts';
import type { RecordChange } from '../../platform/audit/record.ts';
import { sqlOf } from '../../platform/db/sql.ts';
import type { BodyBudget } from '../../platform/http/bodies/body-budget.ts';
import type { CallerKey } from '../../platform/http/limits/caller-address.ts';
import { chargeRequest } from '../../platform/http/limits/rate-limit.ts';
import { Problem } from '../../platform/http/problem.ts';
import type { Keyring } from '../../platform/secrets/keyring.ts';
import type { ApiServices } from '../../platform/services.ts';
import type { MailInvitation } from '../invitations/mail.ts';
import type { MembersChanged } from '../members/visits.ts';
import { createProvider, type Provider } from '../oidc/provider.ts';
import type { SignInSettings } from '../oidc/settings.ts';
import { type PasskeyPlace, passkeyPlace } from '../passkeys/place.ts';
import type { EmailPeople } from '../people/account-news.ts';
import { authenticate } from '../sessions/authenticate.ts';
import type { SessionServices } from '../sessions/caller-of.ts';
import type { MailSignIn } from './mailed-link.ts';

/** What later wings do in the transaction of a change. */
export type AccessHooks = {
  membersChanged: MembersChanged;
  emailPeople: EmailPeople;
  mailInvitation: MailInvitation;
  mailSignIn: MailSignIn;
};

/** What signing in and its sessions work with. */
export type SignInServices = SessionServices & {
  keyring: Keyring;
  callerKey: CallerKey;
  /** How long a session lasts from sign-in. */
  sessionMs: number;
  /** For forms, by the address they come from. */
  forms: BodyBudget;
  /** Charges one sign-in to the caller's address; throws `rate_limited`. */
  charge(address: string): Promise<void>;
  /** Charges one beginning of a sign-in, of which nothing comes by itself. */
  chargeStart(address: string): Promise<void>;
  /** Charges one request for an email, of all addresses together. */
  chargeMail(): Promise<void>;
  /** Charges one message of the identity provider to its address. */
  chargeLogout(address: string): Promise<void>;
  /**
   * False if too many sign-ins of a person or token were refused lately for the next one to be recorded. `subject` is
   * the id, or `unknown` for all that are nobody's.
   */
  mayRecordRefusal(subject: string): Promise<boolean>;
  pool: pg.Pool;
  settings: SignInSettings;
  /** Where passkeys are valid; null where there can be none, or shall be none. */
  passkeys: PasskeyPlace | null;
  /** Null without an identity provider. */
  provider: Provider | null;
  log: Logger;
  recordChange: RecordChange;
} & AccessHooks;

/** Sign-ins to the dashboard from one address. */
const signInRate = { perMinute: 10, burst: 20 };
const startRate = { perMinute: 60, burst: 60 };
/** Each is stored, whoever it is for, and may be typed by anybody. */
const mailRate = { perMinute: 60, burst: 300 };
const logoutRate = { perMinute: 60, burst: 60 };
/** Refused sign-ins of one subject that are recorded: nobody may fill the audit, nor hide what happens to others. */
const refusalRate = { perMinute: 60, burst: 300 };

export function signInServices(services: ApiServices & { signIn: SignInSettings }, hooks: AccessHooks): SignInServices {
  const { pools, keyring, clock, baseUrl, callerKey, forms, recordChange, sessionMs, log, signIn } = services;
  const sql = sqlOf(pools.front);
  return {
    sql,
    keyring,
    clock,
    secure: baseUrl.startsWith('https:'),
    authenticate: authorization => authenticate(sql, authorization, clock.now()),
    callerKey,
    sessionMs,
    forms,
    pool: pools.people,
    settings: signIn,
    get passkeys() {
      return signIn.methods.includes('passkey') ? passkeyPlace(baseUrl) : null;
    },
    provider: signIn.oidc === null ? null : createProvider(signIn.oidc, { clock, log }),
    baseUrl,
    log,
    recordChange,
    ...hooks,
    mayRecordRefusal: subject => isWithin(chargeRequest(sql, `refused sign-ins of ${subject}`, refusalRate)),
    charge: caller => chargeRequest(sql, `sign-in ${caller}`, signInRate),
    chargeStart: caller => chargeRequest(sql, `sign-in start ${caller}`, startRate),
    chargeMail: () => chargeRequest(sql, 'sign-in mails', mailRate),
    chargeLogout: caller => chargeRequest(sql, `provider logout ${caller}`, logoutRate),
  };
}

/** False if the rate is exceeded. */
async function isWithin(charge: Promise<unknown>): Promise<boolean> {
  try {
    await charge;
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') return false;
    throw error;
  }
}
