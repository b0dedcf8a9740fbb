import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/notices.tsx';
import type { FlowPictureProps } from './picture-props.ts';

const Picture = lazy(async () => ({ default: (await import('./picture.tsx')).Picture }));

/**
 * The picture of a definition: a node for the trigger and each step, and the ways between them. Where everything is, is
 * computed. It fills its box, which needs a height.
 */
export const FlowPicture = (props: FlowPictureProps) => (
  <Suspense fallback={<Skeleton lines={6} />}>
    <Picture {...props} />
  </Suspense>
);
