/** An event of an export with its end of line; the header of CSV has no id. */
export type EventRecord = { id: string | null; text: string };

/**
 * Takes each whole record of an export as it comes; what follows the last whole one is dropped. False if the answer
 * broke off.
 */
export async function recordsOf(
  { body }: Response,
  isCsv: boolean,
  take: (record: EventRecord) => Promise<void>,
): Promise<boolean> {
  const split = isCsv ? splitCsv() : splitLines();
  const decoder = new TextDecoder();
  let isComplete = false;
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>)
      for (const record of split(decoder.decode(chunk, { stream: true }))) {
        if (record.id === null && !isCsv) isComplete = true;
        else await take(record);
      }
    // CSV has no last line that says so: it is complete if the answer ended as it should.
    return isComplete || isCsv;
  } catch (error) {
    if (error instanceof TypeError) return isComplete;
    throw error;
  }
}

export type Splitter = (text: string) => EventRecord[];

/** Pure but for its rest: the lines of JSON that are whole with this text. */
export function splitLines(): Splitter {
  let rest = '';
  return text => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    return lines.map(line => {
      const { id = null } = JSON.parse(line) as { id?: string };
      return { id, text: `${line}\n` };
    });
  };
}

/** Pure but for its rest: records of CSV end at a line end outside of quotes. The first is the header. */
export function splitCsv(): Splitter {
  let rest = '';
  let isQuoted = false;
  let isFirst = true;
  return text => {
    const records: EventRecord[] = [];
    let start = 0;
    const whole = rest + text;
    for (let at = rest.length; at < whole.length; at++) {
      if (whole[at] === '"') isQuoted = !isQuoted;
      if (whole[at] !== '\n' || isQuoted) continue;
      const record = whole.slice(start, at + 1);
      records.push({ id: isFirst ? null : record.slice(0, record.indexOf(',')), text: record });
      isFirst = false;
      start = at + 1;
    }
    rest = whole.slice(start);
    return records;
  };
}
