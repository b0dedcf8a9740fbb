import { type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { classes } from '../ui/classes.ts';
import { Icon } from '../ui/icon.tsx';
import styles from './flow.module.css';
import { LABEL_WIDTH } from './layout.ts';

interface EdgeView {
  path: string;
  middle: { x: number; y: number };
  label: string;
  /** A run took it. */
  isTaken: boolean;
  /** What the plus says; without it there is none. */
  plus: string | undefined;
  isTabStop: boolean;
  onInsert(): void;
}

export type PictureEdge = Edge<{ view: EdgeView }, 'way'>;

/** A way from one node to another, with its text and its plus. */
export function Way({ id, data }: EdgeProps<PictureEdge>) {
  if (!data) return null;
  const { path, middle, label, isTaken, plus, isTabStop, onInsert } = data.view;
  return (
    <>
      <path
        className={classes(styles.way, isTaken && styles.taken)}
        data-taken={isTaken ? id : undefined}
        d={path}
        markerEnd={`url(#flow-arrow${isTaken ? '-taken' : ''})`}
      />
      <EdgeLabelRenderer>
        <div
          className={styles.wayLabel}
          style={{
            transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)`,
            maxWidth: LABEL_WIDTH,
          }}
        >
          {label !== '' && (
            <span className={classes(styles.wayText, isTaken && styles.takenText)} title={label}>
              {isTaken && <Icon name="check" />}
              {label}
            </span>
          )}
          {plus !== undefined && (
            <button
              type="button"
              className={styles.plus}
              data-item={id}
              tabIndex={isTabStop ? 0 : -1}
              aria-label={plus}
              title={plus}
              onClick={onInsert}
            >
              <Icon name="plus" />
            </button>
          )}
        </div>
      </EdgeLabelRenderer>
    </>
  );
}
