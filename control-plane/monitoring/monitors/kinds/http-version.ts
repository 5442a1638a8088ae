import { z } from 'zod';
import { type HttpVersion, httpVersions, type MonitorKind } from '#shared/checks/vocabulary.ts';
import { kindOf } from './kinds.ts';

export const httpVersionSchema = z.enum(httpVersions).nullable();

type Versioned = { kind?: MonitorKind | undefined; http_version?: HttpVersion | null | undefined };

/** HTTP/1.1 unless another version is set; null of kinds that have none. */
export function shownHttpVersion({ kind = 'http', http_version: version = null }: Versioned): HttpVersion | null {
  return kindOf(kind).takesHttpVersion ? (version ?? '1.1') : version;
}

/** As it is stored and as agents get it: null for 1.1. */
export function otherHttpVersion({ http_version: version = null }: Versioned): HttpVersion | null {
  return version === '1.1' ? null : version;
}
