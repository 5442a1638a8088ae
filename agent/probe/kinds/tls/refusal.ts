import { ProbeRefusal } from '../../probe-refusal.ts';

/** Characters of what a server says that are shown. */
const lineMax = 200;

/** The server speaks the protocol, but refuses to go over to TLS, or to talk at all, with this line. */
export function refused(line: string): ProbeRefusal {
  const shown = line
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, lineMax)
    .toWellFormed();
  return new ProbeRefusal('starttls_refused', `the server refused: ${shown}`);
}

/** What it says is none of the protocol's answers. */
export function foreign(protocol: string): ProbeRefusal {
  return new ProbeRefusal('protocol_error', `the server does not speak ${protocol}`);
}
