import type { Schemas } from '../../../control-plane/web/api-client/client.ts';

/** What the API answers with when it refuses. */
export type Problem = Schemas['Problem'];

/** The server refused a call, or something in front of it did. */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly status: number;
  /** Null if the answer is not one of Upquorum. */
  readonly problem: Problem | null;

  constructor(status: number, problem: Problem | null) {
    super(problem === null ? `the server answered ${status}` : `${problem.title}: ${problem.detail}`);
    this.status = status;
    this.problem = problem;
  }
}

/** What a call was refused with: of an answer of `fetch`, or of a call of the client. Null if it was not refused. */
export async function problemOf(
  answer: Response | { error?: unknown; response: Response },
): Promise<ProblemError | null> {
  const response = 'response' in answer ? answer.response : answer;
  if (response.ok) return null;
  const body = 'response' in answer ? answer.error : await response.json().catch(() => null);
  return new ProblemError(response.status, isProblem(body) ? body : null);
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'title' in body;
}
