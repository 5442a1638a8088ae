import type { ApiClient } from '#control-plane/web/api-client/client.ts';
import { ApiProblem, read } from '../../../session/api.ts';
import { importChunk, type ReadAddress, type RefusedLine } from './subscriber-file.ts';

/** What an import has done so far. */
export type Imported = { sent: number; added: number; existing: number; refused: readonly RefusedLine[] };

/** Imports addresses in portions. Those that the server refuses are named; the others of their portion are imported. */
export async function importAddresses(
  client: ApiClient,
  pageId: string,
  consent: string,
  addresses: readonly ReadAddress[],
  show: (imported: Imported) => void,
): Promise<Imported> {
  let done: Imported = { sent: 0, added: 0, existing: 0, refused: [] };
  show(done);
  const post = (portion: readonly ReadAddress[]) => {
    const body = { consent, subscribers: portion.map(({ email, state }) => ({ email, state })) };
    return read(client.POST('/v0/status-pages/{id}/subscribers/import', { params: { path: { id: pageId } }, body }));
  };
  for (let start = 0; start < addresses.length; start += importChunk) {
    let portion = addresses.slice(start, start + importChunk);
    while (portion.length > 0) {
      try {
        const { added, existing } = await post(portion);
        const sent = done.sent + portion.length;
        done = { ...done, sent, added: done.added + added, existing: done.existing + existing };
        break;
      } catch (error) {
        const wrong = refusedIndexes(error);
        if (wrong.size === 0) throw error;
        const refused = portion
          .filter((_, index) => wrong.has(index))
          .map(({ line, email }) => ({ line, text: email }));
        done = { ...done, sent: done.sent + refused.length, refused: [...done.refused, ...refused] };
        portion = portion.filter((_, index) => !wrong.has(index));
      }
    }
    show(done);
  }
  return done;
}

/** Addresses of the body that the server named as wrong; none if something else is. */
function refusedIndexes(error: unknown): ReadonlySet<number> {
  if (!(error instanceof ApiProblem) || error.status !== 422) return new Set();
  const indexes = error.errors.map(({ pointer = '' }) => /^\/subscribers\/(\d+)\/email$/.exec(pointer)?.[1]);
  return new Set(indexes.flatMap(index => (index === undefined ? [] : [Number(index)])));
}
