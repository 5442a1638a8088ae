import { ApiProblem, type FieldError } from '../data/api.ts';
import { type Attributes, type Content, type Description, element } from './element.ts';

/** A user's action: it never runs twice at a time, and its error is shown where it was started. */
export type Action = {
  running: boolean;
  problem: Error | null;
  run(work: () => Promise<void>): Promise<void>;
  clear(): void;
};

export function createAction(redraw: () => void): Action {
  const action: Action = {
    running: false,
    problem: null,
    run: async work => {
      if (action.running) return;
      action.running = true;
      action.problem = null;
      redraw();
      try {
        await work();
      } catch (error) {
        action.problem = error instanceof Error ? error : new Error(String(error));
      }
      action.running = false;
      redraw();
    },
    clear: () => {
      action.problem = null;
    },
  };
  return action;
}

/** One action per item of a list, created on first use. */
export function createActions(redraw: () => void): (id: string) => Action {
  const actions = new Map<string, Action>();
  return id => {
    const action = actions.get(id) ?? createAction(redraw);
    actions.set(id, action);
    return action;
  };
}

/** A button that ignores presses while its work runs. It is not `disabled`, which would lose the focus. */
export function actionButton(
  label: string,
  action: Action,
  work: () => Promise<void>,
  attributes: Attributes = {},
): Description {
  const onclick = () => void action.run(work);
  return element('button', { type: 'button', ...attributes, ...busyAttributes(action), onclick }, label);
}

export function submitButton(label: string, action: Action, attributes: Attributes = {}): Description {
  return element('button', { type: 'submit', class: 'primary', ...attributes, ...busyAttributes(action) }, label);
}

function busyAttributes({ running }: Action): Attributes {
  return running ? { 'aria-disabled': 'true', 'aria-busy': 'true' } : {};
}

/** Why the last attempt failed. `fields` are those that show their error themselves. */
export function problemNote(problem: Error | null, fields: readonly string[] = []): Content {
  if (problem === null) return null;
  const errors = problem instanceof ApiProblem ? problem.errors : [];
  const others = errors.filter(error => !fields.includes(fieldOf(error)));
  const items = others.map(error => element('li', {}, sentence(`${fieldOf(error)} ${error.detail}`.trim())));
  // The API's general sentence speaks of the request's form; the field errors say what to change.
  const summary = errors.length > 0 ? 'Please correct these fields:' : describeError(problem);
  return element(
    'div',
    { class: 'problem', role: 'alert' },
    element('p', {}, summary),
    items.length > 0 && element('ul', {}, items),
  );
}

/** An error as a sentence. */
export function describeError(problem: Error): string {
  if (problem instanceof ApiProblem) return sentence(problem.message);
  return problem.name === 'TimeoutError' ? 'The server did not respond in time.' : 'The server cannot be reached.';
}

/** The error of one field as a sentence, found by the first step of its pointer; null if the field is fine. */
export function fieldError(problem: Error | null, field: string): string | null {
  if (!(problem instanceof ApiProblem)) return null;
  const error = problem.errors.find(candidate => fieldOf(candidate) === field);
  return error === undefined ? null : sentence(error.detail);
}

function fieldOf(error: FieldError): string {
  return error.pointer?.split('/')[1] ?? error.parameter ?? '';
}

function sentence(text: string): string {
  const plain = text.replaceAll('`', '').trim();
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}${/[.!?]$/.test(plain) ? '' : '.'}`;
}
