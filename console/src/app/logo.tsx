/** The same mark as the icon of the tab. */
export function Logo() {
  return (
    <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <path fill="currentcolor" d="M4 5h24v17H15l-7 6v-6H4z" />
    </svg>
  );
}
