import type { ReactNode } from 'react';
import styles from './badge.module.css';
import { classes } from './classes.ts';

interface BadgeProps {
  look?: 'plain' | 'good' | 'warn' | 'bad';
  children: ReactNode;
}

/** A state in a word. */
export const Badge = ({ look = 'plain', children }: BadgeProps) => (
  <span className={classes(styles.badge, styles[look])}>{children}</span>
);
