import { errorCode } from '#shared/error-code.ts';
import { errorMessage } from '#shared/error-message.ts';

const pooler = 'the database refuses the settings of our connections';
const directly = 'poolers such as PgBouncer do not work: connect DATABASE_URL directly to PostgreSQL';
const untrusted =
  'its certificate is not trusted: add sslrootcert=/path/to/ca.pem to DATABASE_URL, or sslmode=no-verify to trust any';

/** What to do about an error of the database, by its code. */
const advices: Readonly<Record<string, string>> = {
  '08P01': directly,
  '42P05': directly,
  '28P01': 'check the user and the password in DATABASE_URL',
  '28000': 'check the user and sslmode in DATABASE_URL, and the pg_hba.conf of the server',
  '3D000': 'create it, owned by the role in DATABASE_URL: create database … owner …',
  '42501': 'the role in DATABASE_URL must own its database: alter database … owner to …',
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
};

/** Why a program cannot start: one line, with what to do about it, and with `withStack` where it happened. */
export function explainStart(error: unknown, withStack: boolean): string {
  const code = errorCode(error);
  const message = code === '42P05' ? `${pooler} (${errorMessage(error)})` : errorMessage(error);
  const advice = code === null ? undefined : advices[code];
  const line = advice === undefined ? message : `${message}; ${advice}`;
  return withStack && error instanceof Error && error.stack !== undefined ? `${line}\n${error.stack}` : line;
}
