import type { ReactNode } from 'react';
import { Logo } from '../../app/logo.tsx';
import { writePreference } from '../../app/preferences.ts';
import { languages, useTranslator } from '../../i18n/i18n.tsx';
import { Button } from '../../ui/button.tsx';
import styles from './card.module.css';

/** The frame of the screens without a login. */
export function Card({ title, children }: { title: string; children: ReactNode }) {
  const { language } = useTranslator();
  return (
    <main className={styles.page}>
      <title>{`${title} · Parley`}</title>
      <div className={styles.card}>
        <div className={styles.brand}>
          <Logo />
          <span>Parley</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
      <div className={styles.languages}>
        {languages.map(({ id, name }) => (
          <Button
            key={id}
            look="quiet"
            lang={id}
            aria-pressed={id === language}
            onClick={() => writePreference('language', id)}
          >
            {name}
          </Button>
        ))}
      </div>
    </main>
  );
}
