import { headersFor } from '../draft/request.ts';
import { dnsTarget, hostAndPort, hostTarget, httpTarget } from '../draft/target.ts';
import type { Thing } from '../draft/thing.ts';
import { isTrue, listOf, objectOf, objectsOf, textOf } from '../draft/values.ts';
import type { Item } from '../imported.ts';
import { authOf, familyOf, switchOff, tlsOf } from './clients.ts';
import { httpItem } from './http.ts';
import { bodyMatches, type Probed } from './probed.ts';

/** The kind of monitor that a module's prober is; null if there is none. */
export function kindOfModule(module: Item): string | null {
  const prober = textOf(module.prober);
  if (prober === 'tcp') return speaksTls(objectOf(module.tcp)) ? 'tls' : 'tcp';
  return ({ http: 'http', icmp: 'ping', dns: 'dns', grpc: 'grpc', websocket: 'websocket' } as const)[prober] ?? null;
}

/** What a module makes of a target: the URL and all else but the timing. A text says why it has no equivalent. */
export function probeItem(probed: Probed, kind: string): Item | string {
  switch (kind) {
    case 'http':
      return httpItem(probed);
    case 'ping': {
      const { thing, module, target } = probed;
      const icmp = objectOf(module.icmp);
      for (const field of ['payload_size', 'dont_fragment', 'ttl', 'source_ip_address'])
        if (icmp[field] !== undefined)
          thing.dropped(`icmp.${field}`, textOf(icmp[field]), 'packets are the usual ones');
      const url = hostTarget('ping', target, null);
      return url === null ? 'its target is no host' : { url, ...egressItem(familyOf(icmp)) };
    }
    case 'dns':
      return dnsItem(probed);
    case 'grpc':
      return grpcItem(probed);
    case 'websocket':
      return websocketItem(probed);
    default:
      return tcpItem(probed, kind);
  }
}

function egressItem(...parts: readonly Item[]): Item {
  const egress = Object.assign({}, ...parts) as Item;
  return Object.keys(egress).length === 0 ? {} : { egress };
}

function steps(config: Item): Item[] {
  return objectsOf(config.query_response);
}

function speaksTls(tcp: Item): boolean {
  return isTrue(tcp.tls) || steps(tcp).some(({ starttls }) => isTrue(starttls));
}

function tcpItem({ draft, thing, key, module, target }: Probed, kind: string): Item | string {
  const tcp = objectOf(module.tcp);
  const { host, port } = hostAndPort(target.replace(/^tcp:\/\//, ''));
  const url = hostTarget(kind, host, port);
  if (url === null || port === null) return 'its target is no host with a port';
  const dialogue = steps(tcp);
  if (kind === 'tls') {
    const upgrade = dialogue.some(({ starttls }) => isTrue(starttls)) ? starttlsOf(dialogue) : null;
    if (upgrade === undefined) return 'its dialogue is of no protocol that goes over to TLS here';
    if (dialogue.length > 0) thing.changed('query_response', null, upgrade ?? 'tls', 'the handshake alone is checked');
    const secured = tlsOf(thing, objectOf(tcp.tls_config));
    const item = { url, ...egressItem(familyOf(tcp), secured.egress), ...secured.off };
    return upgrade === null ? item : { ...item, tls: { starttls: upgrade } };
  }
  const simple = dialogueOf(thing, dialogue);
  if (typeof simple === 'string') return simple;
  const sends = simple.send !== null && ![25, 465, 587, 2525].includes(port);
  if (simple.send !== null && !sends) thing.dropped('send', null, 'nothing is sent to the ports of mail servers');
  const own = {
    ...(sends ? { send: draft.sealed(['monitors', key, 'send'], simple.send ?? '') } : {}),
    ...(simple.expect === null ? {} : { read: true }),
  };
  return {
    url,
    ...egressItem(familyOf(tcp)),
    ...(Object.keys(own).length === 0 ? {} : { tcp: own }),
    ...(simple.expect === null ? {} : { assertions: [bodyMatches(simple.expect)] }),
  };
}

/** The protocol of a dialogue that goes over to TLS; undefined if it is not known. */
function starttlsOf(dialogue: readonly Item[]): string | undefined {
  const text = dialogue
    .map(({ send, expect, expect_bytes: bytes }) => [send, expect, bytes].map(textOf).join(' '))
    .join('\n');
  if (/\bEHLO\b/i.test(text)) return 'smtp';
  if (/(?:^|\s)\S+ STARTTLS/im.test(text) && /IMAP|capability|^\s*\. /im.test(text)) return 'imap';
  if (/\bSTLS\b/i.test(text)) return 'pop3';
  if (/AUTH TLS/i.test(text)) return 'ftp';
  return dialogue.some(({ expect_bytes: bytes }) => bytes === 'S') ? 'postgres' : undefined;
}

/** One text that is sent and one that is expected after it; a text says why a dialogue is more. */
function dialogueOf(thing: Thing, dialogue: readonly Item[]): { send: string | null; expect: string | null } | string {
  const tooMuch = 'its dialogue has more than one text that is sent and one that is expected';
  const sends = dialogue.filter(({ send }) => textOf(send) !== '');
  const expects = dialogue.filter(({ expect, expect_bytes: bytes }) => textOf(expect) !== '' || textOf(bytes) !== '');
  const [send, expect] = [textOf(sends[0]?.send), textOf(expects[0]?.expect)];
  if (sends.length > 1 || expects.length > 1 || send.includes('${')) return tooMuch;
  if (sends[0] !== undefined && expects[0] !== undefined && dialogue.indexOf(expects[0]) <= dialogue.indexOf(sends[0]))
    return tooMuch;
  const pattern = expect !== '' ? expect : escaped(textOf(expects[0]?.expect_bytes));
  if (pattern.length > 1000 || Buffer.byteLength(send) > 1000) return 'its texts are too long';
  if (expects[0]?.labels !== undefined) thing.dropped('query_response.labels', null, 'answers make no labels');
  // The exporter ends what it sends with a line feed, and looks at single lines.
  return { send: send === '' ? null : `${send}\n`, expect: pattern === '' ? null : `(?m)${pattern}` };
}

function dnsItem({ thing, module, target }: Probed): Item | string {
  const dns = objectOf(module.dns);
  const { host, port } = hostAndPort(target.replace(/^dns:\/\//, '').replace(/\/.*$/, ''));
  const type = (textOf(dns.query_type) || 'ANY').toUpperCase();
  if (type === 'ANY') return 'queries of type ANY are not asked: name a type';
  if (isTrue(dns.dns_over_tls)) return 'DNS over TLS is not asked';
  if (!/^(?:IN)?$/.test(textOf(dns.query_class))) return 'only queries of class IN are asked';
  const url = dnsTarget(host, port ?? 53, textOf(dns.query_name), type);
  if (url === null) return 'its server, name or type of record is not valid';
  const rcodes = listOf(dns.valid_rcodes)
    .map(textOf)
    .filter(code => /^[A-Z0-9]{2,16}$/.test(code));
  const assertions: Item[] = [{ type: 'dns_rcode', operator: 'in', value: rcodes.length === 0 ? ['NOERROR'] : rcodes }];
  const answers = objectOf(dns.validate_answer_rrs);
  for (const [field, operator] of [
    ['fail_if_matches_regexp', 'not_matches'],
    ['fail_if_none_matches_regexp', 'matches'],
  ] as const)
    for (const pattern of listOf(answers[field]).map(textOf)) {
      const fits = pattern.length <= 1024 && !/\\t|\t|\bIN\b/.test(pattern);
      if (fits) assertions.push({ type: 'dns_record', operator, value: pattern });
      else thing.dropped(field, pattern.slice(0, 200), 'patterns are compared with the data of a record alone');
    }
  for (const field of ['fail_if_all_match_regexp', 'fail_if_not_matches_regexp'])
    if (answers[field] !== undefined) thing.dropped(field, null, 'it has no equivalent here');
  for (const field of ['validate_authority_rrs', 'validate_additional_rrs'])
    if (dns[field] !== undefined) thing.dropped(field, null, 'answers alone are compared');
  const own = {
    ...(textOf(dns.transport_protocol) === 'tcp' ? { transport: 'tcp' } : {}),
    ...(dns.recursion_desired === false ? { recursion: false } : {}),
  };
  return { url, ...(Object.keys(own).length === 0 ? {} : { dns: own }), assertions };
}

function grpcItem({ draft, thing, key, module, target }: Probed): Item | string {
  const grpc = objectOf(module.grpc);
  const { host, port } = hostAndPort(target.replace(/^[a-z]+:\/\//, ''));
  const url = hostTarget(isTrue(grpc.tls) ? 'grpcs' : 'grpc', host, port);
  if (url === null || port === null) return 'its target is no host with a port';
  const given = Object.entries(objectOf(grpc.metadata)).map(
    ([name, values]) => [name.toLowerCase(), listOf(values).map(textOf)] as const,
  );
  const usable = given.filter(
    ([name]) => !/^grpc-|-bin$|^(?:host|content-type|content-encoding|accept-encoding)$/.test(name),
  );
  const metadata = headersFor(
    draft,
    thing,
    key,
    Object.fromEntries(usable.map(([name, values]) => [name, values.join(', ')])),
  );
  const service = textOf(grpc.service);
  if (Buffer.byteLength(service) > 200) return 'the name of its service is too long';
  const own = { ...(service === '' ? {} : { service }), ...(usable.length === 0 ? {} : { metadata }) };
  const secured = tlsOf(thing, objectOf(grpc.tls_config));
  return {
    url,
    ...(Object.keys(own).length === 0 ? {} : { grpc: own }),
    ...egressItem(familyOf(grpc), secured.egress),
    ...secured.off,
  };
}

function websocketItem({ draft, thing, key, module, target }: Probed): Item | string {
  const websocket = objectOf(module.websocket);
  const client = objectOf(websocket.http_config);
  if (!/^wss?:\/\//.test(target)) return 'its target does not begin with ws:// or wss://';
  const found = httpTarget(target.replace(/^ws/, 'http'));
  if (typeof found === 'string') return found;
  const simple = dialogueOf(thing, steps(websocket));
  if (typeof simple === 'string') return simple;
  const named = Object.fromEntries(
    Object.entries(objectOf(websocket.headers)).filter(([name]) => !/^sec-websocket-/i.test(name)),
  );
  const headers = headersFor(draft, thing, key, named);
  const signing = authOf({ draft, thing, key }, client, found, Object.keys(headers));
  const secured = tlsOf(thing, objectOf(client.tls_config));
  const off = client.proxy_url === undefined ? {} : switchOff(thing, 'proxy_url');
  const own = {
    ...(simple.send === null ? {} : { send: draft.sealed(['monitors', key, 'send'], simple.send.slice(0, -1)) }),
    ...(simple.expect === null ? {} : { read: true }),
  };
  return {
    url: found.url.replace(/^http/, 'ws'),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(Object.keys(own).length === 0 ? {} : { websocket: own }),
    ...(simple.expect === null ? {} : { assertions: [bodyMatches(simple.expect)] }),
    ...egressItem(familyOf(websocket), secured.egress),
    ...secured.off,
    ...signing,
    ...off,
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
