import type { Assertion } from '#shared/assertions/assertion.ts';
import type { Monitor } from '../../../session/api-types.ts';

/** The document has no name for any JSON value, which assertions compare with. */
export function assertionsOf({ assertions }: Pick<Monitor, 'assertions'>): readonly Assertion[] {
  return assertions as readonly Assertion[];
}

export type AssertionType = Assertion['type'];
/** An assertion while it is edited: its operand as text. */
export type AssertionDraft = {
  type: AssertionType;
  operator: string;
  /** Name of a header, or the path of a JSON query. */
  subject: string;
  operand: string;
  caseInsensitive: boolean;
  windowMinutes: string;
  /** Whether a failure makes the check a warning only. */
  warns: boolean;
};

const numeric = ['eq', 'neq', 'lt', 'lte', 'gt', 'gte'];
const sets = ['in', 'not_in'];
const textual = ['contains', 'not_contains', 'exists', 'not_exists', 'matches'];

/** The operators that each type takes, in the order they are offered. */
export const operatorsOf: Readonly<Record<AssertionType, readonly string[]>> = {
  status: [...numeric, ...sets],
  body_contains: ['contains', 'not_contains', 'matches', 'not_matches'],
  header: ['eq', 'neq', ...textual, 'not_matches', ...sets],
  json_path: [...numeric, ...textual, ...sets],
  latency_p95: ['lt', 'lte'],
  latency: ['lt', 'lte'],
  http_version: ['eq', 'neq', 'in'],
  tls_version: ['gte', 'eq'],
  dns_rcode: ['eq', 'neq', ...sets],
  dns_record: ['eq', 'neq', 'contains', 'not_contains', 'matches', 'not_matches', ...sets],
  dns_agree: ['eq'],
  dns_changed: ['eq'],
  packet_loss: ['lt', 'lte'],
  jitter: ['lt', 'lte'],
  grpc_status: ['eq', 'neq', ...sets],
  run_seconds: ['lt', 'lte', 'gt', 'gte'],
  measured: ['gte', 'gt', 'lte', 'lt'],
  addresses: ['all', 'gte'],
};

const defaults: Readonly<Record<AssertionType, string>> = {
  status: '200',
  body_contains: '',
  header: '',
  json_path: '',
  latency_p95: '500',
  latency: '1000',
  http_version: '2',
  tls_version: 'TLSv1.3',
  dns_rcode: 'NOERROR',
  dns_record: '',
  dns_agree: '',
  dns_changed: '',
  packet_loss: '0.5',
  jitter: '50',
  grpc_status: 'SERVING',
  run_seconds: '600',
  measured: '20',
  addresses: '1',
};

export function newAssertion(type: AssertionType): AssertionDraft {
  return {
    type,
    operator: operatorsOf[type][0] ?? 'eq',
    subject: type === 'json_path' ? '$.status' : '',
    operand: defaults[type],
    caseInsensitive: false,
    windowMinutes: type === 'dns_changed' ? '60' : '10',
    warns: type === 'dns_changed',
  };
}

export function hasOperand({ type, operator }: Pick<AssertionDraft, 'type' | 'operator'>): boolean {
  return !['dns_agree', 'dns_changed'].includes(type) && !['exists', 'not_exists', 'all'].includes(operator);
}

export function draftAssertion(assertion: Assertion): AssertionDraft {
  const onFail = 'on_fail' in assertion ? assertion.on_fail : undefined;
  const warns = assertion.type === 'dns_changed' ? onFail !== 'err' : onFail === 'warn';
  const draft = { ...newAssertion(assertion.type), operator: assertion.operator, warns };
  switch (assertion.type) {
    case 'status':
      return { ...draft, operand: [assertion.value].flat().join(', ') };
    case 'body_contains':
      return { ...draft, operand: assertion.value, caseInsensitive: assertion.case_insensitive };
    case 'header':
      return { ...draft, subject: assertion.name, operand: textOfOperand(assertion.value, assertion.operator, false) };
    case 'json_path':
      return { ...draft, subject: assertion.path, operand: textOfOperand(assertion.value, assertion.operator, true) };
    case 'latency_p95':
      return { ...draft, operand: String(assertion.value_ms), windowMinutes: String(assertion.window_minutes) };
    case 'latency':
    case 'jitter':
      return { ...draft, operand: String(assertion.value_ms) };
    case 'dns_changed':
      return { ...draft, windowMinutes: String(assertion.window_minutes) };
    case 'dns_agree':
      return draft;
    case 'addresses':
      return { ...draft, operand: String(assertion.value ?? defaults.addresses) };
    default:
      return { ...draft, operand: [assertion.value].flat().join(', ') };
  }
}

/** What the API takes. An operand that does not parse goes as it is written: the API says what is wrong with it. */
export function assertionBody(draft: AssertionDraft): Record<string, unknown> {
  const body = bodyOf(draft);
  if (draft.type === 'dns_changed') return { ...body, on_fail: draft.warns ? 'warn' : 'err' };
  return draft.warns && draft.type !== 'latency_p95' ? { ...body, on_fail: 'warn' } : body;
}

function bodyOf(draft: AssertionDraft): Record<string, unknown> {
  const { type, operator, subject, operand } = draft;
  const value = hasOperand(draft) ? operandOf(draft) : undefined;
  switch (type) {
    case 'status':
      return { type, operator, value };
    case 'body_contains':
      return operator.endsWith('matches')
        ? { type, operator, value: operand }
        : { type, operator, value: operand, case_insensitive: draft.caseInsensitive };
    case 'header':
      return { type, name: subject, operator, ...(value === undefined ? {} : { value }) };
    case 'json_path':
      return { type, path: subject, operator, ...(value === undefined ? {} : { value }) };
    case 'latency_p95':
      return { type, operator, value_ms: numberOr(operand), window_minutes: numberOr(draft.windowMinutes) };
    case 'latency':
    case 'jitter':
      return { type, operator, value_ms: numberOr(operand) };
    case 'addresses':
      return operator === 'all' ? { type, operator } : { type, operator, value: numberOr(operand) };
    case 'packet_loss':
    case 'run_seconds':
    case 'measured':
      return { type, operator, value: numberOr(operand) };
    case 'grpc_status': {
      const value = splitList(operand).map(numberOr);
      return { type, operator, value: sets.includes(operator) ? value : (value[0] ?? '') };
    }
    case 'dns_changed':
      return { type, operator, value: false, window_minutes: numberOr(draft.windowMinutes) };
    case 'dns_agree':
      return { type, operator };
    default:
      return { type, operator, value: sets.includes(operator) ? splitList(operand) : operand.trim() };
  }
}

function operandOf({ type, operator, operand }: AssertionDraft): unknown {
  if (type === 'status') return sets.includes(operator) ? splitList(operand).map(numberOr) : numberOr(operand);
  if (type === 'header') return sets.includes(operator) ? listOrLines(operand) : operand;
  return operator === 'contains' || operator === 'not_contains' || operator === 'matches'
    ? textOrJson(operand)
    : jsonOr(operand);
}

/** Text stands as it is unless it could be read as another JSON value; then it is quoted. */
function textOfOperand(value: unknown, operator: string, isJson: boolean): string {
  if (value === undefined) return '';
  if (!isJson) return typeof value === 'string' ? value : JSON.stringify(value);
  const isText = operator === 'matches' && typeof value === 'string';
  return isText && textOrJson(value) === value ? value : JSON.stringify(value);
}

function numberOr(text: string): number | string {
  const trimmed = text.trim();
  return trimmed !== '' && Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed;
}

function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(Boolean);
}

function listOrLines(text: string): unknown {
  const parsed = jsonOr(text);
  return Array.isArray(parsed) ? parsed : splitList(text);
}

/** The JSON value of a text; the text itself if it is none. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** For operators on text: `"a"` in quotes is a JSON string, all else is meant as it is written. */
function textOrJson(text: string): unknown {
  if (!/^\s*["{[]/.test(text)) return text;
  return jsonOr(text);
}
