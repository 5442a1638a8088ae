import { ApiProblem } from '../session/api.ts';
import { describeError, otherErrors, remedyOf } from '../session/error.ts';

type ProblemProps = {
  problem: Error | null;
  /** Fields that show their error themselves. */
  fields?: readonly string[];
  retry?: (() => void) | undefined;
};

/** Why something failed and what to do about it, with the ID of the request for whoever reads the log. */
export function ProblemNote({ problem, fields = [], retry }: ProblemProps) {
  if (problem === null) return null;
  const hasErrors = problem instanceof ApiProblem && problem.errors.length > 0;
  const others = otherErrors(problem, fields);
  const remedy = hasErrors ? null : remedyOf(problem);
  // The API's general sentence speaks of the request's form; the field errors say what to change.
  const summary = hasErrors ? summaryOf(others.length > 0) : describeError(problem);
  return (
    <div class="problem" role="alert">
      <p>
        {summary}
        {remedy !== null && ` ${remedy}`}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <RequestId problem={problem} />
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

function summaryOf(isListed: boolean): string {
  return isListed ? 'Please correct these fields:' : 'Please correct the marked fields.';
}

function RequestId({ problem }: { problem: Error }) {
  if (!(problem instanceof ApiProblem) || problem.requestId === null || problem.status === 422) return null;
  return (
    <p class="request-id">
      Request ID <code>{problem.requestId}</code>
    </p>
  );
}
