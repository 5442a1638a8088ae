import { compile, type JSONPathQuery } from 'json-p3';

export const jsonPathLengthMax = 1024;

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Gives the values a path selects; may take its own measures to bound the time. Throws when it cannot answer in time. */
export type SelectNodes = (path: string, document: Json) => Promise<Json[]>;

/** True for a valid RFC 9535 query. */
export function isJsonPath(path: string): boolean {
  try {
    compile(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * True when evaluation takes at most one pass over the document: names and indexes only, no filter,
 * no descendant, no wildcard or slice. Such a query needs no guard against time.
 */
export function isSingular(path: string): boolean {
  return queryOf(path).singularQuery();
}

/** Values selected, in document order. Time is not bounded: see `isSingular`. */
export function selectValues(path: string, document: Json): Json[] {
  return queryOf(path).query(document).values() as Json[];
}

function queryOf(path: string): JSONPathQuery {
  return compile(path);
}
