import { alike, equalsAny } from '../draft/json-values.ts';
import type { Item } from '../imported.ts';

const textMax = 8192;
const patternMax = 1024;
const path = /^\[BODY\]((?:\.[A-Za-z_][\w-]*|\[\d+\])*)$/;

/** A condition on the body of an answer; a text says why it has no equivalent. */
export function bodyAssertion(left: string, operator: string, right: string, kind: string): Item | string {
  const has = /^has\((.*)\)$/.exec(left)?.[1];
  if (has !== undefined) {
    const query = queryOf(has);
    const isEqual = operator === '==' || operator === '!=';
    if (query === null || !isEqual || (right !== 'true' && right !== 'false'))
      return 'it is no path that is known here';
    if (kind === 'tcp') return 'an answer of tcp is not read as JSON';
    const exists = (right === 'true') === (operator === '==');
    return { type: 'json_path', path: query, operator: exists ? 'exists' : 'not_exists' };
  }
  if (left.startsWith('len(')) return 'lengths are not compared';
  const query = queryOf(left);
  if (query === null) return 'it is about what is not compared here';
  if (right.includes('[BODY]') || right.includes('[CONTEXT]')) return 'an answer is not compared with itself';
  if (query === '$') return wholeBody(operator, right);
  return kind === 'tcp' ? 'an answer of tcp is not read as JSON' : jsonAssertion(query, operator, right);
}

/** `$.a.b[0]` from `[BODY].a.b[0]`; null if it is no such path. */
function queryOf(text: string): string | null {
  const steps = path.exec(text)?.[1];
  if (steps === undefined) return null;
  return `$${steps.replaceAll(/\.([A-Za-z_]\w*-[\w-]*)/g, "['$1']")}`;
}

function wholeBody(operator: string, right: string): Item | string {
  if (operator !== '==' && operator !== '!=') return 'bodies are compared as texts';
  const isNegative = operator === '!=';
  const globs = functionOf('pat', right);
  const contained = globs === null ? null : (/^\*+([^*?[\\]+)\*+$/s.exec(globs)?.[1] ?? null);
  if (contained !== null && contained.length <= textMax)
    return { type: 'body_contains', operator: isNegative ? 'not_contains' : 'contains', value: contained };
  const pattern = patternOf(right);
  if (pattern === null) return 'the pattern has no equivalent here, or is too long';
  return { type: 'body_contains', operator: isNegative ? 'not_matches' : 'matches', value: pattern };
}

function jsonAssertion(query: string, operator: string, right: string): Item | string {
  const ordered = ({ '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' } as const)[operator];
  if (ordered !== undefined) {
    const number = right === '' ? Number.NaN : Number(right);
    return Number.isFinite(number)
      ? { type: 'json_path', path: query, operator: ordered, value: number }
      : 'only numbers have an order here';
  }
  const isNegative = operator === '!=';
  if (functionOf('pat', right) !== null) {
    const pattern = patternOf(right);
    if (isNegative) return 'a value that must not match a pattern has no equivalent here';
    return pattern === null
      ? 'the pattern has no equivalent here, or is too long'
      : { type: 'json_path', path: query, operator: 'matches', value: pattern };
  }
  const options = functionOf('any', right)?.split(',') ?? [right];
  // Gatus compares texts: a number in JSON is the same as its digits.
  const values = options.flatMap(option => alike(option.trim()));
  if (values.length > 100) return 'it has too many values';
  return { type: 'json_path', path: query, ...equalsAny(values, isNegative) };
}

/** The same on the records of a DNS answer, in their form here: lower case, without the last dot. */
export function recordAssertion(left: string, operator: string, right: string, recordType: string): Item | string {
  if (left !== '[BODY]' || (operator !== '==' && operator !== '!=')) return 'only records that are equal or not fit';
  const isNegative = operator === '!=';
  const matches = (value: string | null): Item | string =>
    value === null
      ? 'the pattern has no equivalent here, or is too long'
      : { type: 'dns_record', operator: isNegative ? 'not_matches' : 'matches', value };
  const options = functionOf('any', right)?.split(',') ?? null;
  const plain = (text: string) => text.trim().toLowerCase().replace(/\.$/, '');
  if (functionOf('pat', right) !== null) {
    // Gatus knows the name of a mail server alone; a record has its preference before it.
    const pattern = patternOf(right.toLowerCase());
    return matches(recordType === 'MX' ? (pattern?.replace('^', '^\\d+ ') ?? null) : pattern);
  }
  if (recordType === 'SRV') return 'services are compared in another form';
  const values = (options ?? [right]).map(plain).filter(value => value !== '');
  if (values.length === 0 || values.length > 100) return 'it has no value, or too many';
  if (recordType === 'MX') {
    const pattern = `^\\d+ (?:${values.map(escaped).join('|')})$`;
    return matches(pattern.length <= patternMax ? pattern : null);
  }
  if (options === null) return { type: 'dns_record', operator: isNegative ? 'neq' : 'eq', value: values[0] };
  return { type: 'dns_record', operator: isNegative ? 'not_in' : 'in', value: values };
}

function functionOf(name: 'pat' | 'any', text: string): string | null {
  return text.startsWith(`${name}(`) && text.endsWith(')') ? text.slice(4, -1) : null;
}

/** A pattern of RE2 for a value, `pat(…)` or `any(…)` as a whole; null if it has none. */
function patternOf(right: string): string | null {
  const globs = functionOf('pat', right);
  if (globs !== null && /[[\\]/.test(globs)) return null;
  const options = functionOf('any', right)
    ?.split(',')
    .map(option => escaped(option.trim()));
  const inner =
    globs !== null
      ? escaped(globs).replaceAll('\\*', '.*').replaceAll('\\?', '.')
      : options === undefined
        ? escaped(right)
        : `(?:${options.join('|')})`;
  const pattern = `(?s)^${inner}$`;
  return pattern.length <= patternMax ? pattern : null;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
