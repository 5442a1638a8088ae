import type { Choices } from '../../../../kit/labels.ts';
import type { FieldsProps } from '../fields-props.ts';
import { OfferSecrets } from '../offer-secrets.tsx';
import { egressOf, isUsual } from './egress-draft.ts';
import { takesHttpVersion, usualHttpVersion } from './http-version-draft.ts';

const families: Choices = [
  ['any', 'IPv4 or IPv6'],
  ['ipv4', 'IPv4 alone'],
  ['ipv6', 'IPv6 alone'],
];

const versions: Choices = [
  ['1.1', 'HTTP/1.1'],
  ['2', 'HTTP/2'],
  ['auto', 'HTTP/2 if the server offers it'],
];

/** How the connections of checks go out; nothing for kinds that take none of it. */
export function EgressFields({ form }: FieldsProps) {
  const { draft } = form;
  const use = egressOf(draft.kind);
  const takesVersion = takesHttpVersion(draft.kind);
  if (use === 'none' && !takesVersion) return null;
  const isOpen = !isUsual(draft) || draft.httpVersion !== usualHttpVersion.httpVersion;
  return (
    <details class="card" open={isOpen}>
      <summary>
        <h2>How checks go out</h2>
      </summary>
      {takesVersion && <form.Choice name="httpVersion" at="http_version" label="HTTP version" choices={versions} />}
      {use !== 'none' && <form.Choice name="ipFamily" at="egress/ip_family" label="Addresses" choices={families} />}
      {use === 'whole' && (
        <form.Check
          name="eachAddress"
          label="Watch every address of the name"
          hint="Checks take turns among its addresses, and each is reached once a minute; not through a proxy."
        />
      )}
      {use !== 'family' && <TlsFields form={form} namesServer={use === 'whole'} />}
      {use !== 'family' && <ProxyFields form={form} />}
    </details>
  );
}

function TlsFields({ form, namesServer }: FieldsProps & { namesServer: boolean }) {
  return (
    <>
      <form.Check
        name="skipsVerification"
        label="Accept any certificate"
        hint="What the certificate says is still reported, and its expiry watched."
      />
      {namesServer && (
        <form.Line
          name="serverName"
          at="egress/server_name"
          label="Server name (optional)"
          hint="Sent as SNI; the certificate must be valid for it."
          input={{ placeholder: 'that of the URL' }}
        />
      )}
      <form.Lines name="authorities" at="egress/ca" label="Certificate authorities as PEM (optional)" rows={3} />
      <form.Lines
        name="clientCertificate"
        at="egress/client_certificate/certificate"
        label="Client certificate as PEM (optional)"
        rows={3}
      />
      <OfferSecrets>
        <form.Sealed
          name="clientKey"
          at="egress/client_certificate/private_key"
          label="Private key of the client certificate"
          rows={3}
        />
      </OfferSecrets>
    </>
  );
}

function ProxyFields({ form }: FieldsProps) {
  return (
    <>
      <form.Line
        name="proxyUrl"
        at="egress/proxy/url"
        label="Proxy (optional)"
        hint="It resolves the names of targets itself."
        input={{ placeholder: 'http://proxy.example:3128 or socks5://proxy.example:1080', autocomplete: 'off' }}
      />
      {form.draft.proxyUrl.trim() !== '' && (
        <OfferSecrets>
          <div class="pair">
            <form.Line
              name="proxyUsername"
              at="egress/proxy/username"
              label="User name at the proxy (optional)"
              input={{ autocomplete: 'off' }}
            />
            <form.Sealed name="proxyPassword" at="egress/proxy/password" label="Password at the proxy (optional)" />
          </div>
        </OfferSecrets>
      )}
    </>
  );
}
