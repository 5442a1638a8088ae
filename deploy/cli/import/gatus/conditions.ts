import { durationMs } from '../draft/duration.ts';
import type { Thing } from '../draft/thing.ts';
import type { Item } from '../imported.ts';
import { bodyAssertion, recordAssertion } from './body.ts';

/** What the conditions of an endpoint are here. */
export type Conditions = {
  assertions: Item[];
  /** Days that a certificate must be valid for at least. */
  certificateDays: number[];
  domainDays: number[];
  /** Whether the endpoint is up whatever the status is. */
  anyStatus: boolean;
};

type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';
const names: Readonly<Record<Operator, string>> = {
  '==': 'eq',
  '!=': 'neq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const mirrored: Readonly<Record<Operator, Operator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const dayMs = 86_400_000;
const [daysMin, daysMax] = [0.04, 398];

/** Translates the conditions of an endpoint of a kind; those without an equivalent are reported. */
export function readConditions(
  thing: Thing,
  kind: string,
  conditions: readonly string[],
  recordType: string,
): Conditions {
  const read: Conditions = { assertions: [], certificateDays: [], domainDays: [], anyStatus: kind === 'http' };
  for (const condition of conditions) {
    const parts = partsOf(condition);
    const why = parts === null ? 'it is no condition that is known here' : add(read, kind, parts, recordType);
    if (why !== null) thing.dropped('conditions', condition, why);
  }
  if (read.anyStatus && conditions.length > 0)
    read.assertions.unshift({ type: 'status', operator: 'in', value: ['100-599'] });
  return read;
}

/** Parts of a condition, with the placeholder on the left. */
function partsOf(condition: string): { left: string; operator: Operator; right: string } | null {
  const [, first, operator, second] = /^(.*?) (==|!=|<=|>=|<|>) (.*)$/s.exec(condition) ?? [];
  if (first === undefined || operator === undefined || second === undefined) return null;
  const [left, right] = [first.trim(), second.trim()];
  const isMirrored = !/\[[A-Z_]+\]/.test(left) && /\[[A-Z_]+\]/.test(right);
  const given = operator as Operator;
  return isMirrored ? { left: right, operator: mirrored[given], right: left } : { left, operator: given, right };
}

/** Adds a condition; says why it cannot. */
function add(
  read: Conditions,
  kind: string,
  { left, operator, right }: { left: string; operator: Operator; right: string },
  recordType: string,
): string | null {
  const push = (assertion: Item | string): string | null => {
    if (typeof assertion === 'string') return assertion;
    read.assertions.push(assertion);
    return null;
  };
  switch (left) {
    case '[CONNECTED]':
      return operator === '==' && right === 'true' ? null : 'only a connection that is made is up';
    case '[STATUS]': {
      // The exit code of a connection by SSH without a command.
      if (kind === 'tcp' && operator === '==' && right === '0') return null;
      if (kind !== 'http') return `the status of ${kind} is not compared`;
      const status = statusAssertion(operator, right);
      if (typeof status !== 'string') read.anyStatus = false;
      return push(status);
    }
    case '[RESPONSE_TIME]': {
      const ms = durationMs(right) ?? (/^\d+(?:\.\d+)?$/.test(right) ? Number(right) : Number.NaN);
      const isLimit = (operator === '<' || operator === '<=') && ms > 0 && ms <= 600_000;
      return push(
        isLimit ? { type: 'latency', operator: names[operator], value_ms: ms } : 'only a limit up to 600 s fits',
      );
    }
    case '[CERTIFICATE_EXPIRATION]':
    case '[DOMAIN_EXPIRATION]': {
      const days = (durationMs(right) ?? Number(right)) / dayMs;
      const isOfCertificate = left === '[CERTIFICATE_EXPIRATION]';
      if (!(operator === '>' || operator === '>=') || !(days > 0)) return 'only a time that must be left at least fits';
      if (isOfCertificate && !['http', 'tls', 'websocket', 'grpc'].includes(kind)) return `${kind} has no certificate`;
      (isOfCertificate ? read.certificateDays : read.domainDays).push(Math.min(daysMax, Math.max(daysMin, days)));
      return null;
    }
    case '[DNS_RCODE]':
      if (kind !== 'dns' || !/^[A-Z0-9]{2,16}$/.test(right) || !(operator === '==' || operator === '!='))
        return 'only one code that is equal or not fits';
      return push({ type: 'dns_rcode', operator: names[operator], value: right });
    default:
      if (kind === 'dns') return push(recordAssertion(left, operator, right, recordType));
      if (kind === 'grpc' && left === '[BODY]' && operator === '==' && right === 'SERVING')
        return push({ type: 'grpc_status', operator: 'eq', value: 'SERVING' });
      if (kind !== 'http' && kind !== 'tcp' && kind !== 'websocket') return `an answer of ${kind} is not compared`;
      return push(bodyAssertion(left, operator, right, kind));
  }
}

function statusAssertion(operator: Operator, right: string): Item | string {
  const any = /^any\((.*)\)$/s.exec(right)?.[1];
  if (any !== undefined && (operator === '==' || operator === '!=')) {
    const codes = any.split(',').map(code => Number(code.trim()));
    if (codes.length > 100 || !codes.every(isStatus)) return 'it has a value that is no status code';
    return { type: 'status', operator: operator === '==' ? 'in' : 'not_in', value: codes };
  }
  const hundred = /^pat\(([1-5])(?:\*|\?\?)\)$/.exec(right)?.[1];
  if (hundred !== undefined && (operator === '==' || operator === '!='))
    return { type: 'status', operator: operator === '==' ? 'in' : 'not_in', value: [`${hundred}00-${hundred}99`] };
  const code = /^\d+$/.test(right) ? Number(right) : Number.NaN;
  if (isStatus(code)) return { type: 'status', operator: names[operator], value: code };
  return 'it has a value that is no status code from 100 to 599';
}

function isStatus(code: number): boolean {
  return Number.isInteger(code) && code >= 100 && code <= 599;
}
