import type { CheckErrorCode, FailureSource } from '#shared/check-result.ts';

/** The target answered, but not as its kind must, or a rule of our own refuses to go on. */
export class ProbeRefusal extends Error {
  override name = 'ProbeRefusal';
  readonly code: CheckErrorCode;
  readonly source: FailureSource;
  constructor(code: CheckErrorCode, message: string, source: FailureSource = 'target') {
    super(message);
    this.code = code;
    this.source = source;
  }
}
