import { Problem } from '../../platform/http/problem.ts';
import { type Merged, mergeSources } from '../document/merge.ts';
import { type DocumentError, jsonSource, readSource, type Source } from '../document/source.ts';
import type { PlanRequest } from './plan.ts';

const bytesMax = 5 * 1024 * 1024;
const nodesMax = 100_000;
const errorsMax = 100;

/** The documents of a request, joined. Throws `validation_failed` with the errors of all files at once. */
export function readDocuments({ documents, document }: PlanRequest, projectId: string): Merged {
  if ((documents === undefined) === (document === undefined))
    throw documentsProblem([
      {
        pointer: '',
        code: 'required',
        detail: 'needs `documents` or `document`, one of them',
        path: null,
        line: null,
        column: null,
      },
    ]);
  const bytes = (documents ?? []).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > bytesMax)
    throw documentsProblem([{ ...nowhere, pointer: '/documents', code: 'too_long', detail: 'have more than 5 MiB' }]);
  const budget = { left: nodesMax };
  const repeated = documents?.find(({ path }, index) => documents.findIndex(other => other.path === path) < index);
  if (repeated !== undefined)
    throw documentsProblem([{ ...nowhere, path: repeated.path, code: 'not_allowed', detail: 'is given twice' }]);
  const read =
    documents?.map(({ path, text }) => readSource(path, text, budget)) ??
    (typeof document === 'string' ? [readSource(null, document, budget)] : [jsonSource(document)]);
  const sources = read.filter((one): one is Source => 'positionOf' in one);
  const broken = read.filter((one): one is DocumentError => !('positionOf' in one));
  const merged = mergeSources(sources, projectId);
  // What a file that could not be read would have said is not missed.
  const errors = [
    ...broken,
    ...merged.errors.filter(({ code }) => broken.length === 0 || code !== 'unknown_reference'),
  ];
  if (errors.length > 0) throw documentsProblem(errors);
  return merged;
}

const nowhere: DocumentError = { pointer: '', code: 'required', detail: '', path: null, line: null, column: null };

/** `validation_failed` with where in the documents each error is: the first hundred, by file and line. */
export function documentsProblem(errors: readonly DocumentError[]): Problem {
  const ordered = errors.toSorted(
    (left, right) => compare(left.path ?? '', right.path ?? '') || (left.line ?? 0) - (right.line ?? 0),
  );
  return new Problem('validation_failed', { errors: ordered.slice(0, errorsMax) });
}

function compare(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
