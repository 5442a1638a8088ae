import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Mark } from '../kit/icon.tsx';

/** A page of the dashboard outside of every project. */
export function Outside({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · Upquorum`;
  }, [title]);
  return (
    <main class="sign-in">
      <p class="brand-line">
        <Mark />
        Upquorum
      </p>
      <h1>{title}</h1>
      {children}
    </main>
  );
}
