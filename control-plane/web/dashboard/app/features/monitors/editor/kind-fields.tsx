import type { Choices } from '../../../kit/labels.ts';
import { EventsFields } from './events/events-fields.tsx';
import type { FieldsProps } from './fields-props.ts';
import { HeartbeatFields } from './heartbeat-fields.tsx';
import { dnsFieldAtFault, type Kind } from './kind-draft.ts';
import { kindWords } from './kind-words.ts';
import { OfferSecrets } from './offer-secrets.tsx';

const kindChoices: Choices = (Object.keys(kindWords) as Kind[]).map(kind => [kind, kindWords[kind].task] as const);
const recordTypes: Choices = [
  'A',
  'AAAA',
  'CNAME',
  'MX',
  'NS',
  'TXT',
  'SOA',
  'SRV',
  'CAA',
  'PTR',
  'HTTPS',
  'DS',
  'TLSA',
].map(type => [type, type] as const);
const starttls: Choices = [
  ['', 'TLS at once'],
  ['smtp', 'SMTP, by STARTTLS'],
  ['imap', 'IMAP, by STARTTLS'],
  ['pop3', 'POP3, by STLS'],
  ['ftp', 'FTP, by AUTH TLS'],
  ['ldap', 'LDAP, by StartTLS'],
  ['postgres', 'PostgreSQL'],
];
const transports: Choices = [
  ['udp', 'UDP'],
  ['tcp', 'TCP'],
];

/** The question that comes first: what is to be checked. A monitor that exists keeps its kind. */
export function KindChoice({ form, isNew }: FieldsProps & { isNew: boolean }) {
  const { kind } = form.draft;
  if (!isNew) return <p class="hint">{kindWords[kind].task}</p>;
  return <form.Choice name="kind" label="What is to be checked?" choices={kindChoices} />;
}

/** The target of a kind other than HTTP. */
export function KindTarget({ form }: FieldsProps) {
  switch (form.draft.kind) {
    case 'tcp':
      return <TcpFields form={form} />;
    case 'tls':
      return (
        <div class="pair">
          <form.Line name="address" at="url" label="Host and port" input={{ placeholder: 'mail.example.com:993' }} />
          <form.Choice name="starttls" at="tls/starttls" label="Protocol" choices={starttls} />
        </div>
      );
    case 'ping':
      return (
        <div class="pair">
          <form.Line name="address" at="url" label="Host" input={{ placeholder: 'example.com' }} />
          <form.Line
            name="count"
            at="ping/count"
            label="Packets"
            input={{ type: 'number', inputMode: 'numeric', min: 1, max: 10 }}
          />
        </div>
      );
    case 'dns':
      return <DnsFields form={form} />;
    case 'grpc':
      return <GrpcFields form={form} />;
    case 'websocket':
      return <WebsocketFields form={form} />;
    case 'domain':
      return <form.Line name="address" at="url" label="Domain" input={{ placeholder: 'example.com' }} />;
    case 'events':
      return <EventsFields form={form} />;
    case 'heartbeat':
      return <HeartbeatFields form={form} />;
    default:
      return null;
  }
}

function TcpFields({ form }: FieldsProps) {
  return (
    <OfferSecrets>
      <form.Line name="address" at="url" label="Host and port" input={{ placeholder: 'db.example.com:5432' }} />
      <div class="pair">
        <form.Line name="send" at="tcp/send" label="Text to send (optional)" input={{ placeholder: 'PING' }} />
        <form.Check name="read" label="Wait for an answer" hint="Assertions on the body look at what comes." />
      </div>
    </OfferSecrets>
  );
}

function GrpcFields({ form }: FieldsProps) {
  return (
    <div class="pair">
      <form.Line name="address" at="url" label="URL" input={{ placeholder: 'grpcs://example.com:443' }} />
      <form.Line
        name="service"
        at="grpc/service"
        label="Service (optional)"
        hint="Empty: the server as a whole."
        input={{ placeholder: 'shop.Orders' }}
      />
    </div>
  );
}

function WebsocketFields({ form }: FieldsProps) {
  return (
    <OfferSecrets>
      <form.Line name="address" at="url" label="URL" input={{ placeholder: 'wss://example.com/socket' }} />
      <div class="pair">
        <form.Line
          name="subprotocols"
          at="websocket/subprotocols"
          label="Subprotocols (optional)"
          hint="The server must choose one of them."
          input={{ placeholder: 'graphql-transport-ws' }}
        />
        <form.Line
          name="send"
          at="websocket/send"
          label="Message to send (optional)"
          input={{ placeholder: '{"type":"ping"}' }}
        />
      </div>
      <form.Check name="read" label="Wait for a message" hint="Assertions on the body look at what comes." />
    </OfferSecrets>
  );
}

function DnsFields({ form }: FieldsProps) {
  const atFault = dnsFieldAtFault(form.draft);
  return (
    <>
      <div class="pair">
        <form.Line
          name="dnsName"
          at={atFault === 'dnsName' ? 'url' : 'dnsName'}
          label="Name to look up"
          input={{ placeholder: 'example.com' }}
        />
        <form.Choice name="dnsType" label="Type of record" choices={withType(form.draft.dnsType)} />
        <form.Line
          name="dnsServer"
          at={atFault === 'dnsServer' ? 'url' : 'dnsServer'}
          label="Name server"
          hint="Address or name; empty: the one that the agents are set up with."
          input={{ placeholder: '9.9.9.9' }}
        />
      </div>
      <details>
        <summary>Transport and other servers</summary>
        <div class="pair">
          <form.Choice name="transport" at="dns/transport" label="Transport" choices={transports} />
          <form.Line
            name="agreeWith"
            at="dns/agree_with"
            label="Servers that must agree"
            hint="For the assertion of that name."
            input={{ placeholder: '1.1.1.1, ns1.example.com' }}
          />
        </div>
        <form.Check name="recursion" label="Ask the server to look it up elsewhere" />
      </details>
    </>
  );
}

/** A type that was set by the API stays one of the choices. */
function withType(type: string): Choices {
  return recordTypes.some(([value]) => value === type) ? recordTypes : [...recordTypes, [type, type]];
}
