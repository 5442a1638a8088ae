import { createRequire } from 'node:module';

/** Filled in when the program is bundled. */
declare const UPQUORUM_VERSION: string | undefined;

/** The version of the product that this program is of. */
export const version: string =
  typeof UPQUORUM_VERSION === 'string'
    ? UPQUORUM_VERSION
    : (createRequire(import.meta.url)('./package.json') as { version: string }).version;
