import { parseAllDocuments } from 'yaml';
import { SourceError } from '../imported.ts';

/** Reads the documents of a file of YAML, in which keys may be merged. Throws `SourceError`. */
export function readYaml(path: string, text: string): unknown[] {
  const documents = parseAllDocuments(text, { merge: true, prettyErrors: false });
  // An empty stream has a list of no documents that says more of itself.
  return [...documents].map(document => {
    const [error] = document.errors;
    if (error !== undefined) throw new SourceError(`${path} is not valid YAML: ${error.message.split('\n', 1)[0]}`);
    try {
      return document.toJS({ maxAliasCount: 1000 }) as unknown;
    } catch {
      throw new SourceError(`${path} is not valid YAML: its aliases stand for too much.`);
    }
  });
}
