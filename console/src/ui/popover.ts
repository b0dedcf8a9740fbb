const GAP_PX = 4;
const MARGIN_PX = 8;

/** Puts a popover beside its button, inside the window: browsers without anchors have no other way. */
export function placeBeside(button: Element, popover: HTMLElement): void {
  const { left, right, bottom, top } = button.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const x = left + width > innerWidth - MARGIN_PX ? Math.max(MARGIN_PX, right - width) : left;
  const isBelow = bottom + height + GAP_PX <= innerHeight - MARGIN_PX;
  const y = isBelow ? bottom + GAP_PX : Math.max(MARGIN_PX, top - height - GAP_PX);
  popover.style.left = `${x}px`;
  popover.style.top = `${y}px`;
}

/** Moves the focus to the next or previous of some elements; from the last one to the first. */
export function moveFocus(parent: HTMLElement, selector: string, step: number): void {
  const items = [...parent.querySelectorAll<HTMLElement>(selector)];
  const index = items.indexOf(document.activeElement as HTMLElement);
  items.at((index + step + (index < 0 && step < 0 ? 1 : 0)) % items.length)?.focus();
}
