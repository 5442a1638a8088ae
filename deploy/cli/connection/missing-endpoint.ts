import { CommandError } from '../frame/failure.ts';
import { version } from '../version.ts';

/** Which version was the first with the endpoints whose paths begin so, of those that not every server has. */
const since: readonly (readonly [path: RegExp, version: string])[] = [
  [/^\/v0\/incidents\/import$|^\/v0\/config\/managers$/, '0.12'],
  [/^\/v0\/monitors\/[^/]+\/history$|^\/v0\/config\/schema\.json$|^\/v0\/(events\/export|users\/|erasures)/, '0.11'],
  [/^\/v0\/(config\/|event-names$|me$)/, '0.10'],
];

/** What is read of the OpenAPI document. */
export type ApiDocument = { info: { version: string }; paths: Readonly<Record<string, object>> };

/**
 * What to say of a call that was answered as if there were no such path, if the server has none: null if it has, so
 * that what was asked for is missing.
 */
export async function missingEndpoint(
  { method, url }: Pick<Request, 'method' | 'url'>,
  readDocument: () => Promise<ApiDocument | null>,
): Promise<CommandError | null> {
  const { pathname } = new URL(url);
  const document = await readDocument();
  if (document?.paths === undefined || !pathname.startsWith('/v0/')) return null;
  const known = Object.entries(document.paths).some(
    ([path, methods]) => patternOf(path).test(pathname) && Object.hasOwn(methods, method.toLowerCase()),
  );
  if (known) return null;
  const needed = since.find(([path]) => path.test(pathname))?.[1] ?? version;
  const own = document.info.version;
  const older = own === needed ? '' : `; it needs ${needed}`;
  return new CommandError(`the server (${own}) has no ${method} ${pathname}${older}`);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}
