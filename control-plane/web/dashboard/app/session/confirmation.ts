import { type ReadonlySignal, signal } from '@preact/signals';

/** The person is asked to show that it is them. */
export type Asked = {
  /** How they can: `passkey`, `oidc`. */
  methods: readonly string[];
  answer(isConfirmed: boolean): void;
};

export type Confirmation = {
  asked: ReadonlySignal<Asked | null>;
  /** Resolves once the person has answered. Requests that ask at the same time share one answer. */
  confirm(methods: readonly string[]): Promise<boolean>;
};

export function openConfirmation(): Confirmation {
  const asked = signal<Asked | null>(null);
  let waiting: Promise<boolean> | null = null;
  const ask = (methods: readonly string[]): Promise<boolean> =>
    new Promise(resolve => {
      asked.value = {
        methods,
        answer: isConfirmed => {
          asked.value = null;
          waiting = null;
          resolve(isConfirmed);
        },
      };
    });
  return {
    asked,
    confirm: methods => {
      waiting ??= ask(methods);
      return waiting;
    },
  };
}

/** Where the identity provider's window comes back to. */
export const confirmedQuery = '?confirmed=1';
