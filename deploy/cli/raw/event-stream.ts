/** The data of each event of a stream of server-sent events, until it ends. */
export async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  if (body === null) return;
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream() as never) as unknown as AsyncIterable<string>) {
    const events = `${rest}${text}`.replaceAll('\r\n', '\n').split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = event.split('\n').filter(line => line.startsWith('data:'));
      if (data.length > 0) yield data.map(line => line.slice(5).trimStart()).join('\n');
    }
  }
}
