import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, syntaxTree } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState, RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { useEffect, useEffectEvent, useRef } from 'react';
import styles from './editor.module.css';

interface JsonEditorProps {
  /** Read aloud. */
  label: string;
  text: string;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

const COLOURS: Readonly<Record<string, string>> = {
  PropertyName: 'cm-name',
  String: 'cm-string',
  Number: 'cm-value',
  True: 'cm-value',
  False: 'cm-value',
  Null: 'cm-value',
};
const MARKS = new Map(
  Object.entries(COLOURS).map(([node, name]) => [node, Decoration.mark({ class: name })]),
);

function colour(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges)
    syntaxTree(view.state).iterate({
      from,
      to,
      enter: (node) => {
        const mark = MARKS.get(node.name);
        if (mark) builder.add(node.from, node.to, mark);
      },
    });
  return builder.finish();
}

/** Colours from the tokens of the console, which follow the theme. */
const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = colour(view);
    }
    update({ view, docChanged, viewportChanged, startState, state }: ViewUpdate): void {
      if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state))
        this.decorations = colour(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--surface-input)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '18px', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    color: 'var(--text-muted)',
    backgroundColor: 'var(--surface-sunken)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--surface-active) !important',
  },
  '.cm-name': { color: 'var(--accent)' },
  '.cm-string': { color: 'var(--good)' },
  '.cm-value': { color: 'var(--warn)' },
  '.cm-tooltip': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--border)',
  },
});

/** An editor for JSON. It lives in a shadow root: only there its styles need no exception in the policy of the page. */
export function JsonEditor({ label, text, isReadOnly, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const changed = useEffectEvent(onChange);
  const firstText = useEffectEvent(() => text);
  useEffect(() => {
    const element = host.current as HTMLDivElement;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: firstText(),
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          json(),
          linter(jsonParseLinter()),
          colours,
          theme,
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.readOnly.of(isReadOnly),
          EditorView.updateListener.of(({ docChanged, state, transactions }) => {
            const isTyped = transactions.some(
              (one) =>
                one.isUserEvent('input') ||
                one.isUserEvent('delete') ||
                one.isUserEvent('undo') ||
                one.isUserEvent('redo') ||
                one.isUserEvent('move'),
            );
            if (docChanged && isTyped) changed(state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    return () => view.destroy();
  }, [label, isReadOnly]);
  useEffect(() => {
    const view = editor.current;
    if (!view || view.state.doc.toString() === text) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  // Outside, a key in a shadow root looks as if nobody typed.
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the editor inside
    <div
      ref={host}
      className={styles.json}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') event.stopPropagation();
      }}
    />
  );
}
