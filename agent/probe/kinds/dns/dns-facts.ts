import { answersMax, type DnsFacts, factsBytesMax } from '#shared/checks/facts.ts';
import type { Message } from './read-message.ts';
import { typeText } from './types.ts';

type Records = Message['records'];
type ShownRecord = DnsFacts['answers'][number];

const [nameMax, dataMax] = [1024, 4096];

/** The data of the records of a type. */
export function dataOf(message: Message, type: number): string[] {
  return recordsOf(message, type).map(({ data }) => data);
}

/** In the order of their data: servers turn them round with each answer. */
function recordsOf({ records }: Message, type: number): Records {
  return records.filter(record => record.type === type).toSorted((one, other) => (one.data < other.data ? -1 : 1));
}

/**
 * What of an answer is kept: as many of the records as there is room for, then, before them, the aliases that led to
 * them, if all fit.
 */
export function factsWithin(message: Message, type: number, rest: Pick<DnsFacts, 'server' | 'servers'>): DnsFacts {
  const records = recordsOf(message, type).map(toShown);
  const aliases = message.records.filter(record => record.type !== type).map(toShown);
  const facts: DnsFacts = {
    server: rest.server,
    rcode: message.rcode,
    answers: [],
    truncated: false,
    servers: rest.servers,
  };
  let left = factsBytesMax - Buffer.byteLength(JSON.stringify({ dns: facts })) - 1;
  const fits = (record: ShownRecord) => {
    if (record.name.length > nameMax || record.data.length > dataMax || facts.answers.length === answersMax)
      return false;
    const bytes = Buffer.byteLength(JSON.stringify(record)) + 1;
    if (bytes > left) return false;
    left -= bytes;
    facts.answers.push(record);
    return true;
  };
  const allRecords = records.filter(fits).length === records.length;
  const kept = [...facts.answers];
  const allAliases = aliases.every(fits);
  const answers = allAliases ? [...facts.answers.slice(kept.length), ...kept] : kept;
  return { ...facts, answers, truncated: !(allRecords && allAliases) };
}

function toShown({ name, type, ttl, data }: Records[number]): ShownRecord {
  return { name, type: typeText(type), ttl, data };
}
