/** Exit codes beside 0. */
export const exits = { error: 1, changes: 2, gate: 3, usage: 64, interrupted: 130 } as const;

/** The command cannot do what it was asked for. The message says why, `hint` what to do. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

/** The command was called wrongly: exit 64. */
export class UsageError extends CommandError {
  override name = 'UsageError';
}
