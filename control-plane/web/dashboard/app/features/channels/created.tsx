import { CopyCode } from '../../kit/copy-code.tsx';
import type { Channel } from '../../session/api-types.ts';

/** A new channel with the secret that signs its messages, which is shown only now. */
export function Created({ channel: { id, name, secret = '' } }: { channel: Channel }) {
  return (
    <section class="card">
      <h2>{name} was created</h2>
      <CopyCode label="Signing secret" hint="Store it now: it is not shown again." code={secret} />
      <div class="buttons">
        <a class="button primary" href={`#/channels/${id}`}>
          I’ve saved it
        </a>
      </div>
    </section>
  );
}
