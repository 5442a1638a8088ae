import { ApiProblem } from '../../session/api.ts';
import type { Flow } from '../../session/api-types.ts';

type Condition = Flow['steps'][number]['where'][number];
export type Operator = Condition['op'];

/** A condition while it is edited: its value as it stands in the field. */
export type ConditionDraft = { prop: string; op: Operator; value: string };
export type StepDraft = { name: string; event: string; where: readonly ConditionDraft[] };
export type FlowDraft = {
  name: string;
  steps: readonly StepDraft[];
  windowCount: string;
  windowUnit: string;
  order: Flow['order'];
};

export const emptyStep: StepDraft = { name: '', event: '', where: [] };
export const emptyFlow: FlowDraft = {
  name: '',
  steps: [emptyStep, emptyStep],
  windowCount: '7',
  windowUnit: '86400',
  order: 'ordered',
};

export const operatorChoices: readonly (readonly [Operator, string])[] = [
  ['eq', 'is'],
  ['neq', 'is not'],
  ['in', 'is one of'],
  ['not_in', 'is none of'],
  ['contains', 'contains'],
  ['not_contains', 'does not contain'],
  ['exists', 'exists'],
  ['not_exists', 'does not exist'],
  ['lt', 'is below'],
  ['lte', 'is at most'],
  ['gt', 'is above'],
  ['gte', 'is at least'],
];

export const unitChoices: readonly (readonly [string, string])[] = [
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
];

export function takesValue(op: Operator): boolean {
  return op !== 'exists' && op !== 'not_exists';
}

export function draftOfFlow({ name, steps, window_seconds, order }: Flow): FlowDraft {
  const unit = unitChoices.findLast(([seconds]) => window_seconds % Number(seconds) === 0)?.[0] ?? '1';
  return {
    name,
    steps: steps.map(step => ({
      name: step.name === step.event ? '' : (step.name ?? ''),
      event: step.event,
      where: conditionDrafts(step.where),
    })),
    windowCount: String(window_seconds / Number(unit)),
    windowUnit: unit,
    order,
  };
}

/** The body of POST and PATCH. */
export function flowBody(draft: FlowDraft) {
  return {
    name: draft.name.trim(),
    steps: draft.steps.map(({ name, event, where }) => ({
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      event: event.trim(),
      where: conditionBodies(where),
    })),
    window_seconds: Math.round(Number(draft.windowCount) * Number(draft.windowUnit)),
    order: draft.order,
  };
}

export function conditionDrafts(where: readonly Condition[]): ConditionDraft[] {
  return where.map(({ prop, op, value }) => ({ prop, op, value: textOf(op, value) }));
}

export function conditionBodies(where: readonly ConditionDraft[]) {
  return where.map(({ prop, op, value }) => ({
    prop: prop.trim(),
    op,
    ...(takesValue(op) ? { value: conditionValue(op, value) } : {}),
  }));
}

type Scalar = string | number | boolean | null;

/** Texts stand as they are, unless they would read as something else: then they are quoted, as in JSON. */
function textOf(op: Operator, value: Condition['value']): string {
  if (Array.isArray(value)) return value.map(item => scalarText(item, op, true)).join(', ');
  return value === undefined ? '' : scalarText(value, op, false);
}

function scalarText(value: Scalar, op: Operator, isListed: boolean): string {
  if (typeof value !== 'string') return String(value);
  const isPlain = scalarOf(value, op) === value && value.trim() === value && !(isListed && /[,"]/.test(value));
  return isPlain && value !== '' ? value : JSON.stringify(value);
}

function conditionValue(op: Operator, text: string): Scalar | Scalar[] {
  if (op !== 'in' && op !== 'not_in') return scalarOf(text.trim(), op);
  const items = text.match(/\s*"(?:[^"\\]|\\.)*"\s*|[^,]+/g) ?? [];
  return items
    .map(item => item.trim())
    .filter(item => item !== '')
    .map(item => scalarOf(item, op));
}

/** What a property is compared with: a number, true, false, null, or a text. `contains` is about texts alone. */
function scalarOf(text: string, op: Operator): Scalar {
  const isQuoted = /^".*"$/s.test(text);
  if ((op === 'contains' || op === 'not_contains') && !isQuoted) return text;
  if (!isQuoted && !/^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text)) return text;
  try {
    return JSON.parse(text) as Scalar;
  } catch {
    return text;
  }
}

const fieldWords: Readonly<Record<string, string>> = {
  event: 'Event',
  name: 'Shown as',
  prop: 'Property',
  value: 'Value',
};

/** What is wrong with one step, as sentences; of those that the API names by their place in the flow. */
export function stepErrors(problem: Error | null, index: number): string[] {
  if (!(problem instanceof ApiProblem)) return [];
  const prefix = `/steps/${index}/`;
  return problem.errors
    .filter(({ pointer }) => pointer?.startsWith(prefix))
    .map(({ pointer, detail }) => {
      const path = pointer?.slice(prefix.length).split('/') ?? [];
      const field = path.at(-1) ?? '';
      const condition = path[0] === 'where' && path.length > 2 ? ` ${Number(path[1]) + 1}` : '';
      return `${fieldWords[field] ?? field}${condition} ${detail}.`;
    });
}
