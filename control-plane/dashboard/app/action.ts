import { ApiProblem, type FieldError } from './api.ts';
import { type Attributes, type Content, type Description, element } from './element.ts';

/** Something the user does: it runs once at a time, and its failure is told where it was started. */
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

/** One action for each thing of a list. */
export function createActions(redraw: () => void): (name: string) => Action {
  const actions = new Map<string, Action>();
  return name => {
    const action = actions.get(name) ?? createAction(redraw);
    actions.set(name, action);
    return action;
  };
}

/** A button that cannot be pressed again while its work runs. It keeps the focus: `disabled` would lose it. */
export function actionButton(
  label: string,
  action: Action,
  work: () => Promise<void>,
  attributes: Attributes = {},
): Description {
  const busy = action.running ? { 'aria-disabled': 'true', 'aria-busy': 'true' } : {};
  return element('button', { type: 'button', ...attributes, ...busy, onclick: () => void action.run(work) }, label);
}

/** The button of a form. */
export function submitButton(label: string, action: Action, attributes: Attributes = {}): Description {
  const busy = action.running ? { 'aria-disabled': 'true', 'aria-busy': 'true' } : {};
  return element('button', { type: 'submit', class: 'primary', ...attributes, ...busy }, label);
}

/** Why the last try failed, in sentences; `fields` are told at their own places already. */
export function problemNote(problem: Error | null, fields: readonly string[] = []): Content {
  if (problem === null) return null;
  const others = problem instanceof ApiProblem ? problem.errors.filter(error => !fields.includes(nameOf(error))) : [];
  const list = others.map(error => element('li', {}, sentence(`${nameOf(error)} ${error.detail}`.trim())));
  return element(
    'div',
    { class: 'problem', role: 'alert' },
    element('p', {}, hasFields(problem) ? 'Some fields need a change:' : tell(problem)),
    list.length > 0 && element('ul', {}, list),
  );
}

/** Each wrong field is named by itself: the general sentence of the API would only speak of its answer's form. */
function hasFields(problem: Error): boolean {
  return problem instanceof ApiProblem && problem.errors.length > 0;
}

/** An error as a sentence. */
export function tell(problem: Error): string {
  if (problem instanceof ApiProblem) return sentence(problem.message);
  return problem.name === 'TimeoutError' ? 'The server did not answer in time.' : 'The server cannot be reached.';
}

/** The fault of one field, by the first step of its pointer. */
export function faultOf(problem: Error | null, field: string): string | null {
  if (!(problem instanceof ApiProblem)) return null;
  const error = problem.errors.find(candidate => nameOf(candidate) === field);
  return error === undefined ? null : sentence(error.detail);
}

function nameOf(error: FieldError): string {
  return error.pointer?.split('/')[1] ?? error.parameter ?? '';
}

function sentence(text: string): string {
  const first = text.replaceAll('`', '').trim();
  return `${first.charAt(0).toUpperCase()}${first.slice(1)}${/[.!?]$/.test(first) ? '' : '.'}`;
}
