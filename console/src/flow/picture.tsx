import {
  Handle,
  type Node,
  type NodeProps,
  Panel,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react';
import { useMemo, useRef } from 'react';
import { useText, useTranslator } from '../i18n/i18n.tsx';
import { IconButton } from '../ui/button.tsx';
import { createDescriber } from './describe.ts';
import styles from './flow.module.css';
import { type FlowEdge, graphOf } from './graph.ts';
import { layOut, pathOf } from './layout.ts';
import { useFlowNames } from './names.ts';
import type { FlowPictureProps } from './picture-props.ts';
import { type NodeView, StepNode, viewOf } from './step-node.tsx';
import { useFocus } from './use-focus.ts';
import { useView } from './use-view.ts';
import { MIN_ZOOM } from './view.ts';
import { type PictureEdge, Way } from './way.tsx';

type PictureNode = Node<{ view: NodeView }, 'step'>;

/** The handles are invisible: the library shows no edge without them. */
const NODE_TYPES = {
  step: ({ data }: NodeProps<PictureNode>) => (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <StepNode view={data.view} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  ),
};
const EDGE_TYPES = { way: Way };
const handlesOf = (width: number, height: number) => [
  { type: 'target' as const, position: Position.Top, x: width / 2, y: 0, width: 1, height: 1 },
  { type: 'source' as const, position: Position.Bottom, x: width / 2, y: height, width: 1, height: 1 },
];

/** The end of a way. It has the same size on lines of any width. */
const Arrow = ({ id, className }: { id: string; className: string | undefined }) => (
  <marker
    id={id}
    viewBox="0 0 8 8"
    refX="7"
    refY="4"
    markerWidth="10"
    markerHeight="10"
    markerUnits="userSpaceOnUse"
    orient="auto"
  >
    <path className={className} d="M0,0.5L7,4L0,7.5" />
  </marker>
);

function Buttons({ onShowAll }: { onShowAll: () => void }) {
  const t = useText();
  const { zoomIn, zoomOut } = useReactFlow();
  return (
    <Panel position="bottom-left" className={styles.buttons}>
      <IconButton icon="plus" label={t('flow.zoomIn')} onClick={() => void zoomIn()} />
      <IconButton icon="minus" label={t('flow.zoomOut')} onClick={() => void zoomOut()} />
      <IconButton icon="fit" label={t('flow.fit')} onClick={onShowAll} />
    </Panel>
  );
}

/** Lines, texts and places of a definition. */
function usePicture({ definition, ...given }: FlowPictureProps) {
  const translator = useTranslator();
  const names = useFlowNames();
  const describer = useMemo(() => createDescriber(translator, names), [translator, names]);
  const graph = useMemo(() => graphOf(definition), [definition]);
  const labels = useMemo(() => {
    const steps = new Map(
      graph.nodes.flatMap((node) => (node.kind === 'step' ? [[node.id, node.step]] : [])),
    );
    return new Map(graph.edges.map((edge) => [edge.id, describer.outlet(steps.get(edge.from), edge.outlet)]));
  }, [graph, describer]);
  // While somebody types, the places stay the same.
  const shape = JSON.stringify([
    graph.nodes.map((node) => [node.id, node.kind, node.kind === 'step' && node.step.type === 'end']),
    graph.edges.map(({ id, to }) => [id, to, labels.get(id)?.length]),
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape is all that the layout depends on
  const layout = useMemo(() => layOut(graph, ({ id }) => labels.get(id) ?? ''), [shape]);
  const labelOf = ({ id }: FlowEdge): string => labels.get(id) ?? '';
  return { ...given, definition, describer, graph, layout, labelOf };
}

function PictureInside(props: FlowPictureProps) {
  const t = useText();
  const picture = usePicture(props);
  const {
    graph,
    layout,
    describer,
    labelOf,
    label,
    selected,
    onSelect,
    onInsert,
    onRemove,
    issues,
    paint,
    taken,
  } = picture;
  const box = useRef<HTMLDivElement>(null);
  const canEdit = onInsert !== undefined;
  const { show, showBeginning, showAll } = useView({ box, graph, layout, selected, canEdit });
  const { stop, setFocused, onKeyDown } = useFocus({
    box,
    graph,
    layout,
    hasPluses: canEdit,
    selected,
    show,
  });
  const nodes = graph.nodes.map((node): PictureNode => {
    const { x, y, width, height } = layout.boxes.get(node.id) ?? { x: 0, y: 0, width: 0, height: 0 };
    const view = viewOf(node, picture.definition, describer, {
      isSelected: node.id === selected,
      isTabStop: node.id === stop,
      issues: issues?.get(node.id) ?? [],
      paint: paint?.[node.id],
      onOpen: onSelect && (() => onSelect(node.id)),
    });
    return {
      id: node.id,
      type: 'step',
      position: { x, y },
      width,
      height,
      handles: handlesOf(width, height),
      data: { view },
    };
  });
  const titleOf = (id: string): string => nodes.find((node) => node.id === id)?.data.view.title ?? '';
  const edges = graph.edges.map((edge): PictureEdge => {
    const { points, middle } = layout.lines.get(edge.id) ?? { points: [], middle: { x: 0, y: 0 } };
    const text = labelOf(edge);
    const after = text === '' ? titleOf(edge.from) : text;
    return {
      id: edge.id,
      type: 'way',
      source: edge.from,
      target: edge.to,
      data: {
        view: {
          path: pathOf(points),
          middle,
          label: text,
          isTaken: taken?.has(edge.id) === true,
          plus: onInsert && t('flow.insert', { after }),
          isTabStop: edge.id === stop,
          onInsert: () => onInsert?.({ from: edge.from, outlet: edge.outlet }),
        },
      },
    };
  });

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the buttons inside
    <div
      ref={box}
      className={styles.picture}
      onFocus={({ target }) => {
        const { item } = target.closest<HTMLElement>('[data-item]')?.dataset ?? {};
        if (item !== undefined) setFocused(item);
      }}
      onKeyDown={(event) => {
        const item = onKeyDown(event);
        const isStep = graph.nodes.some(({ id, kind }) => id === item && kind === 'step');
        if (isStep && onRemove && /^(Delete|Backspace)$/.test(event.key)) {
          event.preventDefault();
          onRemove(item as string);
        }
      }}
    >
      <svg className={styles.markers} aria-hidden="true">
        <Arrow id="flow-arrow" className={styles.arrow} />
        <Arrow id="flow-arrow-taken" className={styles.arrowTaken} />
      </svg>
      <ReactFlow
        aria-label={label}
        onInit={showBeginning}
        nodes={nodes}
        // Those that a run took are drawn last, above others that cross them.
        edges={edges.toSorted((a, b) => Number(a.data?.view.isTaken) - Number(b.data?.view.isTaken))}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        minZoom={MIN_ZOOM}
        maxZoom={1.5}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        panOnScroll
        zoomOnDoubleClick={false}
        disableKeyboardA11y
        proOptions={{ hideAttribution: true }}
      >
        <Buttons onShowAll={showAll} />
      </ReactFlow>
    </div>
  );
}

export const Picture = (props: FlowPictureProps) => (
  <ReactFlowProvider>
    <PictureInside {...props} />
  </ReactFlowProvider>
);
