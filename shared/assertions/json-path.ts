import { JSONPathEnvironment, type JSONPathQuery } from 'json-p3';
import { isStandardQuery } from './json-path-grammar.ts';

/** Longest query accepted. */
export const jsonPathLengthMax = 1024;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A JSON text and what it says. */
export type JsonDocument = Readonly<{ text: string; value: Json }>;

/** The query was not run, or was cut off, for reasons that are not its own: the program that runs it is too busy. */
export class QueryNotRun extends Error {
  override name = 'QueryNotRun';
}

/**
 * Returns the values a path selects. An implementation may bound the time, and rejects if it is exceeded: with
 * QueryNotRun if other queries are the reason.
 */
export type SelectNodes = (path: string, document: JsonDocument) => Promise<Json[]>;

const escapedControl = /^\\u00[01][\da-fA-F]$/;
const escapedControlOrRest = /\\u00[01][\da-fA-F]|(?:[^\\]|\\(?!u00[01][\da-fA-F])[\s\S]?)+/g;

/**
 * True if the path is a valid RFC 9535 query. The library accepts more, which it evaluates by rules of its own: it
 * takes `$[?!@.a==1]` for `(!@.a)==1`, which is never true.
 */
export function isJsonPath(path: string): boolean {
  try {
    queryOf(path);
    return isStandardQuery(path);
  } catch {
    return false;
  }
}

/**
 * True if the query consists of names and indexes only, with no filter, descendant, wildcard or slice. It then selects
 * at most one value in at most one pass over the document, and needs no time limit.
 */
export function isSingular(path: string): boolean {
  return queryOf(path).singularQuery();
}

/** The same as `selectValues` if the query is singular, else null: reading a long one takes 0.1 ms. */
export function selectSingular(path: string, document: JsonDocument): Json[] | null {
  const query = queryOf(path);
  return query.singularQuery() ? (query.query(document.value).values() as Json[]) : null;
}

/** The selected values, in document order. The time is not bounded: see `isSingular`. */
export function selectValues(path: string, document: Json): Json[] {
  return queryOf(path).query(document).values() as Json[];
}

function queryOf(path: string): JSONPathQuery {
  return environment.compile(path);
}

const environment = createEnvironment();

/** The library refuses control characters as `\u00XX`, which RFC 9535 permits: they are decoded here. */
function createEnvironment(): JSONPathEnvironment {
  const created = new JSONPathEnvironment();
  const parser: { unescapeString(text: string, token: unknown): string } = Reflect.get(created, 'parser');
  const decode = parser.unescapeString.bind(parser);
  parser.unescapeString = (text, token) =>
    (text.match(escapedControlOrRest) ?? [])
      .map(part => (escapedControl.test(part) ? JSON.parse(`"${part}"`) : decode(part, token)))
      .join('');
  return created;
}
