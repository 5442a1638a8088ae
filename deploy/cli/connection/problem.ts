import { CommandError } from '../frame/failure.ts';

export type FieldProblem = {
  pointer?: string;
  code?: string;
  detail?: string;
  path?: string | null;
  line?: number | null;
  column?: number | null;
};

/** What the API answers with when it refuses. */
export type ProblemBody = {
  title?: string;
  status?: number;
  code?: string;
  detail?: string;
  errors?: readonly FieldProblem[];
} & Readonly<Record<string, unknown>>;

/** The server refused a call. */
export class ProblemError extends CommandError {
  override name = 'ProblemError';
  readonly body: ProblemBody;
  readonly status: number;

  constructor(status: number, body: ProblemBody) {
    super(messageOf(status, body), hintOf(status, body));
    this.body = body;
    this.status = status;
  }
}

function messageOf(status: number, { title, detail, errors = [] }: ProblemBody): string {
  const first = title ?? `the server answered ${status}`;
  // Which fields are wrong says more than that some are.
  const more = detail === undefined || detail === title || errors.length > 0 ? '' : `: ${detail}`;
  return [`${first}${more}`, ...errors.map(fieldLine)].join('\n');
}

/** `upquorum.yaml:5:3 /monitors/0/url must be …`. */
function fieldLine({ path, line, column, pointer, detail, code }: FieldProblem): string {
  const where = [path, line, column].filter(part => part !== null && part !== undefined).join(':');
  return `  ${[where, pointer, detail ?? code].filter(part => part !== undefined && part !== '').join(' ')}`;
}

const hints: Readonly<Record<string, string>> = {
  invalid_token: 'Sign in again with `upquorum login URL`.',
  token_expired: 'Make a new token, and sign in with `upquorum login URL`.',
  token_revoked: 'Make a new token, and sign in with `upquorum login URL`.',
  insufficient_scope: '`upquorum whoami` shows what the token may do.',
  plan_stale: 'Plan again, and look at what it says now.',
  plan_has_conflicts: 'Change the documents; `--adopt` takes over what nobody manages.',
  apply_in_progress: 'Try again in a moment.',
  count_changed: 'Plan again, and look at what would be deleted.',
  internal_error: 'The server failed; its operator finds the reason by the ID of the request.',
};

function hintOf(status: number, { code, retry_after }: ProblemBody): string | null {
  if (code === 'rate_limited' && typeof retry_after === 'number') return `Try again in ${retry_after} s.`;
  if (code !== undefined && Object.hasOwn(hints, code)) return hints[code] ?? null;
  return status === 503 ? 'The server is busy or starting: try again in a moment.' : null;
}
