import { Dialog } from '../kit/dialog/dialog.tsx';
import { shortcuts } from './shortcuts.ts';

export function HelpDialog({ close }: { close(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="facts">
        {shortcuts.map(([keys, what]) => [
          <dt key={`${keys} keys`}>
            {keys.split('  ').map(key => (
              <kbd key={key}>{key}</kbd>
            ))}
          </dt>,
          <dd key={keys}>{what}</dd>,
        ])}
      </dl>
      <div class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
