/** The status codes of gRPC, by number. */
const codeNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** Whoever asks has not signed in. */
export const unauthenticated = codeNames.indexOf('UNAUTHENTICATED');

const lineMax = 200;

/** The code in a `grpc-status`: one beyond those of gRPC counts as UNKNOWN; null for what is no number. */
export function codeOf(text: string): number | null {
  if (!/^\d{1,9}$/.test(text)) return null;
  return Number(text) < codeNames.length ? Number(text) : codeNames.indexOf('UNKNOWN');
}

/** An error as people read it, with what the server said, at most 200 characters of it. */
export function describeCode(code: number, grpcMessage: string): string {
  const isMissing = codeNames[code] === 'UNIMPLEMENTED';
  const what = isMissing ? 'the server has no health service' : `gRPC code ${code}, ${codeNames[code]}`;
  const said = decoded(grpcMessage)
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, lineMax)
    .toWellFormed();
  return said === '' ? what : `${what}: ${said}`;
}

/** `grpc-message` is percent-encoded UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
