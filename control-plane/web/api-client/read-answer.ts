export const lineType = 'application/x-ndjson';

/** How much of a long call is done. */
export type Step = { counted: number; parts: number };
export type OnStep = (step: Step) => void;

/** The JSON of an answer, or of its last line: those before say how far it is. */
export async function readAnswer(response: Response, onStep?: OnStep): Promise<Record<string, unknown>> {
  if (response.headers.get('content-type')?.startsWith(lineType) === true && response.body !== null)
    return readSteps(response.body, onStep);
  const text = await response.text();
  if (text === '') return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    return { detail: `the server responded with status ${response.status} and no JSON` };
  }
}

/** Lines of JSON, of which the last is the answer and those before are steps. */
async function readSteps(body: ReadableStream<Uint8Array>, onStep?: OnStep): Promise<Record<string, unknown>> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    text += decoder.decode(chunk.value, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const value: Record<string, unknown> = Object(JSON.parse(line));
      if (!('counted' in value)) return value;
      onStep?.(value as Step);
    }
  }
  throw new TypeError('the answer broke off');
}
