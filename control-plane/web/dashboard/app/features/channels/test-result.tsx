/** What became of a test message. */
export type Tried = { sent: boolean; error: string | null; ms: number };

export function TestResult({ tried: { sent, error, ms } }: { tried: Tried }) {
  const took = ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
  return sent ? (
    <p class="note" role="status">
      The test was sent. The service took {took}.
    </p>
  ) : (
    <p class="problem" role="alert">
      The test was not sent: {error ?? 'no reason was given'}.
    </p>
  );
}
