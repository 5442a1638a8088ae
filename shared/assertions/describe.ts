import type { Assertion } from './assertion.ts';
import type { Json } from './json-path.ts';

const shownLengthMax = 256;

const subjects = {
  http_version: 'HTTP version',
  tls_version: 'TLS version',
  dns_rcode: 'response code',
  dns_record: 'record',
  packet_loss: 'packet loss',
  grpc_status: 'gRPC status',
};

const limitWords = { lt: 'less than', lte: 'at most', gt: 'more than', gte: 'at least' } as const;

/** The expectation as people read it: subject, operator and value, at most 256 characters. */
export function describeExpectation(assertion: Assertion): string {
  switch (assertion.type) {
    case 'status':
      return cut(`status ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'body_contains':
      return cut(`body ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'header':
      return cut(`header ${assertion.name} ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'json_path':
      return cut(`${assertion.path} ${assertion.operator}${describeOperand(assertion.value)}`);
    case 'latency_p95':
      return `p95 latency ${assertion.operator} ${assertion.value_ms} ms over ${assertion.window_minutes} min`;
    case 'latency':
    case 'jitter':
      return `${assertion.type} ${assertion.operator} ${assertion.value_ms} ms`;
    case 'run_seconds':
      return `run ${assertion.operator} ${assertion.value} s`;
    case 'measured':
      return `${limitWords[assertion.operator]} ${assertion.value}`;
    case 'addresses':
      return assertion.operator === 'all' ? 'all addresses answer' : `addresses that answer gte ${assertion.value}`;
    case 'dns_agree':
      return 'all servers agree';
    case 'dns_changed':
      return `the same records for ${assertion.window_minutes} min`;
    default:
      return cut(`${subjects[assertion.type]} ${assertion.operator}${describeOperand(assertion.value)}`);
  }
}

function describeOperand(value: Json | undefined): string {
  return value === undefined ? '' : ` ${jsonStart(value, shownLengthMax + 1)}`;
}

/** A value as people read it, at most 256 characters; null if there is none. */
export function showValue(actual: Json | undefined): string | null {
  if (actual === undefined) return null;
  return cut(typeof actual === 'string' ? actual : jsonStart(actual, shownLengthMax + 1));
}

/**
 * The beginning of a value as JSON, of `length` characters or more if it has as many. JSON.stringify throws for lists
 * that are nested thousands deep, and writes a MiB where 256 characters are shown.
 */
function jsonStart(value: Json, length: number): string {
  if (length <= 0) return '';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, length));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const names = Array.isArray(value) ? value.keys() : Object.keys(value);
  let text = open ?? '';
  for (const name of names) {
    if (text.length > length) break;
    if (text.length > 1) text += ',';
    if (typeof name === 'string') text += `${JSON.stringify(name.slice(0, length))}:`;
    text += jsonStart((value as Record<string, Json>)[name] ?? null, length - text.length);
  }
  return text + close;
}

function cut(text: string): string {
  return text.length <= shownLengthMax ? text : `${text.slice(0, shownLengthMax - 1).toWellFormed()}…`;
}
