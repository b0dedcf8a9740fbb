/** The names of classes that apply: `classes(styles.row, isOpen && styles.open)`. */
export const classes = (...names: (string | false | undefined)[]): string =>
  names.filter((name) => name !== false && name !== undefined).join(' ');
