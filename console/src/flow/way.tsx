import { type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react';
import { Icon } from '../ui/icon.tsx';
import styles from './flow.module.css';
import { LABEL_WIDTH } from './layout.ts';

interface EdgeView {
  path: string;
  middle: { x: number; y: number };
  label: string;
  /** What the plus says; without it there is none. */
  plus: string | undefined;
  isTabStop: boolean;
  onInsert(): void;
}

export type PictureEdge = Edge<{ view: EdgeView }, 'way'>;

/** A way from one node to another, with its text and its plus. */
export function Way({ id, data }: EdgeProps<PictureEdge>) {
  if (!data) return null;
  const { path, middle, label, plus, isTabStop, onInsert } = data.view;
  return (
    <>
      <path className={styles.way} d={path} markerEnd="url(#flow-arrow)" />
      <EdgeLabelRenderer>
        <div
          className={styles.wayLabel}
          style={{
            transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)`,
            maxWidth: LABEL_WIDTH,
          }}
        >
          {label !== '' && (
            <span className={styles.wayText} title={label}>
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
