export type ServerEvent = { event: string; id: string; data: unknown };

/** The events of a stream in the format of server-sent events, as far as our server uses it. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += decoder.decode(chunk.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) yield parseEvent(block);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}

function parseEvent(block: string): ServerEvent {
  const parsed: ServerEvent = { event: 'message', id: '', data: null };
  for (const line of block.split('\n')) {
    const colon = line.indexOf(': ');
    const [name, value] = [line.slice(0, colon), line.slice(colon + 2)];
    if (name === 'event') parsed.event = value;
    if (name === 'id') parsed.id = value;
    if (name === 'data') parsed.data = JSON.parse(value);
  }
  return parsed;
}
