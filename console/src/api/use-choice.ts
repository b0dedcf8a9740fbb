import { notifyManager, type UseMutationResult } from '@tanstack/react-query';
import { useState } from 'react';

/**
 * For a control that is stored as soon as it is changed: what it shows, and what changes it. The choice is shown at once, and what
 * is stored again as soon as it is known, or if the choice was refused.
 */
export function useChoice<T, R>(
  stored: T,
  save: UseMutationResult<R, unknown, T>,
): [shown: T, choose: (choice: T) => void] {
  const [chosen, setChosen] = useState<{ value: T }>();
  return [
    chosen ? chosen.value : stored,
    (value) => {
      setChosen({ value });
      // After what is stored has reached the component.
      save.mutate(value, { onSettled: () => notifyManager.schedule(() => setChosen(undefined)) });
    },
  ];
}
