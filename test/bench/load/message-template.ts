/** The positions of a message's numbers, which have a fixed width and are overwritten before each send. */
type Stamps = { from: number; to: number; seqs: number[]; instants: number[] };

/** A message that is serialised once; before each send only its sequence numbers and instants are overwritten. */
export type MessageTemplate = { bytes: Buffer; count: number; stamps: Stamps };

/** A monitor that reports one good result, or both failed attempts if it is down. */
export type TemplateMonitor = { id: string; down: boolean };

const seqWidth = 10;
const seqHole = '#'.repeat(seqWidth);
const instantHole = '@'.repeat(13);
/** The first sequence number; all have the same width. */
export const firstSeq = 10 ** (seqWidth - 1);

export function makeTemplate(monitors: readonly TemplateMonitor[], salt: number): MessageTemplate {
  const results = monitors.flatMap((monitor, index) =>
    monitor.down ? [badResult(monitor.id, 1), badResult(monitor.id, 2)] : [goodResult(monitor.id, index * 7 + salt)],
  );
  const text = `{"type":"results","from_seq":${seqHole},"to_seq":${seqHole},"results":[${results.join(',')}]}`;
  const [from = 0, to = 0, ...seqs] = positions(text, seqHole);
  return {
    bytes: Buffer.from(text),
    count: results.length,
    stamps: { from, to, seqs, instants: positions(text, instantHole) },
  };
}

/** Writes the numbers of one send. All its results have the same slot, which is unique in the run. */
export function stamp({ bytes, count, stamps }: MessageTemplate, seq: number, scheduledAt: number): void {
  bytes.write(String(seq), stamps.from, 'latin1');
  bytes.write(String(seq + count - 1), stamps.to, 'latin1');
  stamps.seqs.forEach((position, index) => {
    bytes.write(String(seq + index), position, 'latin1');
  });
  const instant = String(scheduledAt);
  for (const position of stamps.instants) bytes.write(instant, position, 'latin1');
}

function positions(text: string, hole: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(hole); at >= 0; at = text.indexOf(hole, at + hole.length)) found.push(at);
  return found;
}

function head(monitorId: string, attempt: number): string {
  const key = `"seq":${seqHole},"monitor_id":"${monitorId}","config_version":1,"kind":"scheduled","attempt":${attempt}`;
  const times = ['scheduled_at', 'started_at', 'completed_at'].map(name => `"${name}":${instantHole}`);
  return `{${key},${times.join(',')}`;
}

/** What an agent reports for an HTTPS check with one assertion on the body. */
function goodResult(monitorId: string, salt: number): string {
  const latency = 40 + ((salt * 7919) % 160_000) / 1000;
  const rest = {
    status: 'ok',
    latency_ms: latency,
    timings: { dns_ms: 1.482, connect_ms: 11.318, tls_ms: 24.871, first_byte_ms: latency - 40, download_ms: 2.329 },
    status_code: 200,
    error: null,
    failure_source: null,
    assertions: [
      {
        index: 0,
        type: 'body_contains',
        passed: true,
        expected: 'contains "\\"status\\":\\"ok\\""',
        actual: '{"status":"ok","version":"4.18.2","region":"eu-west-1","checks":{"database":"ok","queue":"ok"}}',
      },
    ],
    remote_ip: '203.0.113.17',
    bytes: 18_423,
    truncated: false,
    tls: { protocol: 'TLSv1.3', valid_to: '2027-01-20T10:00:00.000Z', days_left: 61.4 },
  };
  return `${head(monitorId, 1)},${JSON.stringify(rest).slice(1)}`;
}

function badResult(monitorId: string, attempt: number): string {
  const rest = {
    status: 'err',
    latency_ms: null,
    timings: null,
    status_code: null,
    error: { code: 'connect_refused', message: 'connection refused by 203.0.113.17:443' },
    failure_source: 'target',
    assertions: [],
    remote_ip: '203.0.113.17',
    bytes: 0,
    truncated: false,
    tls: null,
  };
  return `${head(monitorId, attempt)},${JSON.stringify(rest).slice(1)}`;
}
