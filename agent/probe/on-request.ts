import { type AgentMessage, type ControlMessage, shownHeaders, shownHeadersOfStep } from '#shared/protocol/messages.ts';
import { type CheckTools, checkAndShow } from './check.ts';
import { showResponse } from './show-response.ts';

type Probed = Extract<AgentMessage, { type: 'probed' }>;

/** Attempts on request at the same time: people wait for each, and checks of the schedule go on. */
const runningMax = 16;

/** Makes single attempts that somebody waits for. Their results go to who asks, not into the spool. */
export class OnRequest {
  readonly #tools: CheckTools;
  #running = 0;

  constructor(tools: CheckTools) {
    this.#tools = tools;
  }

  /** Resolves with the answer; its result is null if too many attempts run already. */
  async probe({ request_id, assignment }: Extract<ControlMessage, { type: 'probe_now' }>): Promise<Probed> {
    if (this.#running >= runningMax) return { type: 'probed', request_id, result: null, response: null };
    this.#running += 1;
    try {
      const attempt = { kind: 'scheduled', scheduledAt: Math.floor(this.#tools.clock.now()), attempt: 1 } as const;
      const limits = assignment.check?.kind === 'multistep' ? shownHeadersOfStep : shownHeaders;
      const { result, shown, steps } = await checkAndShow(assignment, attempt, this.#tools, (response, redacted) =>
        showResponse(response, redacted, limits),
      );
      const answer = { type: 'probed', request_id, result, response: shown } as const;
      return steps.length === 0 ? answer : { ...answer, steps };
    } finally {
      this.#tools.secrets.forget(assignment);
      this.#running -= 1;
    }
  }
}
